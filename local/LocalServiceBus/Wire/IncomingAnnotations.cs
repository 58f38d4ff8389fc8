using System.Text;
using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The message annotations that a sender gave. They stay encoded: decoded, a value of one byte takes dozens.</summary>
/// <param name="Kept">Names and values in turn, without those that are the broker's word.</param>
/// <param name="Values">How many names and values.</param>
/// <param name="CopiedBytes">Of <paramref name="Kept"/> where it is no part of the message.</param>
/// <param name="ScheduledEnqueueTime">Null: none.</param>
/// <param name="PartitionKey"><c>null</c> if there is none.</param>
internal readonly record struct IncomingAnnotations(
    ReadOnlyMemory<byte> Kept,
    int Values,
    int CopiedBytes,
    DateTimeOffset? ScheduledEnqueueTime,
    string? PartitionKey
)
{
    /// <param name="section">Empty: absent.</param>
    /// <exception cref="AmqpException">Not annotations, or such as could not be sent on.</exception>
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
            // Decoded once, so that a receiver gets nothing that it could not read.
            var value = new AmqpReader(encoded).ReadValue();
            if (name == Annotations.ScheduledEnqueueTime)
                scheduled = value as DateTimeOffset?;
            if (name == Annotations.PartitionKey)
                partition = value as string;
            if (Annotations.IsBrokers(name))
                continue;
            kept.WriteSymbol(name);
            kept.WriteRaw(encoded);
            values += 2;
        }
        if (!reader.IsAtEnd)
            throw IncomingMessage.Malformed("There is more among the message annotations than their count says.");
        // What is the same as it came needs no copy.
        return kept.WrittenSpan.SequenceEqual(section.Span[start..])
            ? new(section[start..], values, 0, scheduled, partition)
            : new(kept.WrittenSpan.ToArray(), values, kept.Length, scheduled, partition);
    }

    /// <summary>Some clients send strings for symbols; only ASCII can go out as a symbol.</summary>
    private static string ReadName(ref AmqpReader reader)
    {
        var name = reader.ReadValue() switch
        {
            Symbol symbol => symbol.Value,
            string text => text,
            _ => throw IncomingMessage.Malformed("The name of a message annotation is no symbol."),
        };
        return Ascii.IsValid(name)
            ? name
            : throw IncomingMessage.Malformed("The name of a message annotation is not ASCII.");
    }
}
