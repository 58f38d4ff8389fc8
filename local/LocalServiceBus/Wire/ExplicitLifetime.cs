using System.Buffers.Binary;
using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The properties creation-time and absolute-expiry-time of a message. SDKs use their difference for the time to live if both are
/// present, because the header is limited to 49.7 days (milliseconds in 32 bits).</summary>
/// <param name="End">The offset of absolute-expiry-time in the section.</param>
/// <param name="From">The offset of creation-time; <c>null</c> if it is absent.</param>
/// <param name="Length">The difference; <c>null</c> if one is absent.</param>
internal readonly record struct ExplicitLifetime(int End, int? From, TimeSpan? Length)
{
    // The fields before absolute-expiry-time, which creation-time follows.
    private const int FieldsAhead = 8;

    /// <param name="properties">Bytes that start with the properties section, if there is one.</param>
    /// <returns><c>null</c> if absolute-expiry-time is absent.</returns>
    /// <exception cref="AmqpException">The section cannot be read.</exception>
    public static ExplicitLifetime? Of(ReadOnlySpan<byte> properties)
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
            ? new ExplicitLifetime(end, null, null)
            : new ExplicitLifetime(end, from, expires - reader.ReadTimestamp());
    }

    /// <summary>Overwrites both times in the section.</summary>
    public void Write(Span<byte> properties, DateTimeOffset from, DateTimeOffset end)
    {
        Write(properties[End..], end);
        if (From is { } place)
            Write(properties[place..], from);
    }

    // After the constructor.
    private static void Write(Span<byte> timestamp, DateTimeOffset time) =>
        BinaryPrimitives.WriteInt64BigEndian(timestamp[1..], time.ToUnixTimeMilliseconds());
}
