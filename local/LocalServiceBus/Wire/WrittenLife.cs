using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Two properties of a message. Where both are there SDKs take their difference for the time to live, because the header has
/// milliseconds in 32 bits: 49.7 days at most.</summary>
/// <param name="From">creation-time</param>
/// <param name="Length">from then to absolute-expiry-time</param>
/// <param name="End">where the section has absolute-expiry-time</param>
internal readonly record struct WrittenLife(DateTimeOffset From, TimeSpan Length, Range End)
{
    // absolute-expiry-time has so many fields ahead of it, and creation-time behind it.
    private const int FieldsAhead = 8;

    /// <param name="properties">Section of a message; empty: absent.</param>
    /// <returns>Null: not both are there.</returns>
    /// <exception cref="AmqpException">The section cannot be read.</exception>
    public static WrittenLife? Of(ReadOnlySpan<byte> properties)
    {
        if (properties.IsEmpty)
            return null;
        var reader = new AmqpReader(properties);
        reader.ReadDescriptor();
        if (reader.ReadListHead() < FieldsAhead + 2)
            return null;
        for (var i = 0; i < FieldsAhead; i++)
            reader.Skip();
        var start = reader.Position;
        if (reader.TryReadNull())
            return null;
        var end = reader.ReadTimestamp();
        var place = start..reader.Position;
        if (reader.TryReadNull())
            return null;
        var from = reader.ReadTimestamp();
        return new(from, end - from, place);
    }
}
