using System.Text;
using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The message annotations of Service Bus. Those in <see cref="IsBrokerOnly"/> are set only by the broker;
/// incoming ones are dropped.</summary>
internal static class Annotations
{
    public const string SequenceNumber = "x-opt-sequence-number";
    public const string EnqueuedSequenceNumber = "x-opt-enqueue-sequence-number";
    public const string EnqueuedTime = "x-opt-enqueued-time";
    public const string LockedUntil = "x-opt-locked-until";
    public const string LockToken = "x-opt-lock-token";
    public const string DeadLetterSource = "x-opt-deadletter-source";
    public const string State = "x-opt-message-state";
    public const string ScheduledEnqueueTime = "x-opt-scheduled-enqueue-time";
    public const string PartitionKey = "x-opt-partition-key";

    public static bool IsBrokerOnly(Symbol name) =>
        name.Value
            is SequenceNumber
                or EnqueuedSequenceNumber
                or EnqueuedTime
                or LockedUntil
                or State
                or DeadLetterSource;
}

/// <summary>The message annotations of a sent message. They stay encoded, because a decoded value of one byte takes
/// dozens.</summary>
/// <param name="Kept">Alternating names and values, without those that only the broker sets.</param>
/// <param name="CopiedBytes">The size of <paramref name="Kept"/> if it's a copy; otherwise, 0.</param>
internal readonly record struct IncomingAnnotations(
    ReadOnlyMemory<byte> Kept,
    int Values,
    int CopiedBytes,
    DateTimeOffset? ScheduledEnqueueTime,
    string? PartitionKey
)
{
    /// <exception cref="AmqpException">The section is invalid or couldn't be forwarded to receivers.</exception>
    public static IncomingAnnotations Read(ReadOnlyMemory<byte> section)
    {
        if (section.IsEmpty)
            return default;
        var reader = new AmqpReader(section.Span);
        reader.ReadDescriptor();
        var count = reader.ReadMapHead();
        var start = reader.Position;
        using var kept = new AmqpWriter();
        var names = new HashSet<string>();
        var values = 0;
        DateTimeOffset? scheduled = null;
        string? partition = null;
        for (var left = count; left > 0; left -= 2)
        {
            var name = ReadName(ref reader);
            if (!names.Add(name))
                throw IncomingMessage.Malformed("Two message annotations have the same name.");
            var encoded = reader.ReadEncoded();
            // Decode the value once to validate it for receivers.
            var value = new AmqpReader(encoded).ReadValue();
            if (name == Annotations.ScheduledEnqueueTime)
                scheduled = value as DateTimeOffset?;
            if (name == Annotations.PartitionKey)
                partition = value as string;
            if (Annotations.IsBrokerOnly(name))
                continue;
            kept.WriteSymbol(name);
            kept.WriteRaw(encoded);
            values += 2;
        }
        if (!reader.IsAtEnd)
            throw IncomingMessage.Malformed("The message annotations contain more items than their count.");
        return kept.WrittenSpan.SequenceEqual(section.Span[start..])
            ? new(section[start..], values, 0, scheduled, partition)
            : new(kept.WrittenSpan.ToArray(), values, kept.Length, scheduled, partition);
    }

    /// <summary>Reads a name. Some clients send strings, which must be ASCII, instead of symbols.</summary>
    private static string ReadName(ref AmqpReader reader)
    {
        var name = reader.ReadValue() switch
        {
            Symbol symbol => symbol.Value,
            string text => text,
            _ => throw IncomingMessage.Malformed("The name of a message annotation must be a symbol."),
        };
        return Ascii.IsValid(name)
            ? name
            : throw IncomingMessage.Malformed("The name of a message annotation is not ASCII.");
    }
}
