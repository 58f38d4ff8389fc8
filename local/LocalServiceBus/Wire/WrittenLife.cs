using System.Buffers.Binary;
using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Two properties of a message. Where both are there SDKs take their difference for the time to live, because the header has
/// milliseconds in 32 bits: 49.7 days at most.</summary>
/// <param name="End">Where the section has absolute-expiry-time.</param>
/// <param name="From">Where it has creation-time; null: nowhere.</param>
/// <param name="Length">From the one to the other; null: not both are there.</param>
internal readonly record struct WrittenLife(int End, int? From, TimeSpan? Length)
{
    // absolute-expiry-time has so many fields ahead of it, and creation-time behind it.
    private const int FieldsAhead = 8;

    /// <param name="properties">Section of a message, or what begins with it; empty: absent.</param>
    /// <returns>Null: there is no absolute-expiry-time.</returns>
    /// <exception cref="AmqpException">The section cannot be read.</exception>
    public static WrittenLife? Of(ReadOnlySpan<byte> properties)
    {
        // Every section begins with a zero.
        if (properties is not [0, ..])
            return null;
        var reader = new AmqpReader(properties);
        if (reader.ReadDescriptor() != SectionCode.Properties)
            return null;
        var fields = reader.ReadListHead();
        if (fields <= FieldsAhead)
            return null;
        for (var i = 0; i < FieldsAhead; i++)
            reader.Skip();
        var end = reader.Position;
        if (reader.TryReadNull())
            return null;
        var expires = reader.ReadTimestamp();
        var from = reader.Position;
        return fields == FieldsAhead + 1 || reader.TryReadNull()
            ? new WrittenLife(end, null, null)
            : new WrittenLife(end, from, expires - reader.ReadTimestamp());
    }

    /// <summary>Gives the properties this life.</summary>
    public void Write(Span<byte> properties, DateTimeOffset from, DateTimeOffset end)
    {
        Write(properties[End..], end);
        if (From is { } place)
            Write(properties[place..], from);
    }

    // Behind the code of the type.
    private static void Write(Span<byte> timestamp, DateTimeOffset time) =>
        BinaryPrimitives.WriteInt64BigEndian(timestamp[1..], time.ToUnixTimeMilliseconds());
}
