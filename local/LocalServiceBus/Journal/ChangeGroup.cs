using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;

namespace DroneDelivery.LocalServiceBus.Journal;

/// <summary>The rows that one transaction writes. Only the last change of a row counts, so a group never grows beyond
/// the contents of the queues, and a message that arrives and leaves within one group isn't written. Not
/// thread-safe.</summary>
internal sealed class ChangeGroup
{
    public Dictionary<long, RowChange> Messages { get; } = [];

    /// <summary>The highest sequence number that each place of a queue has assigned.</summary>
    public Dictionary<(long Queue, Place Place), long> Numbers { get; } = [];

    public Dictionary<long, QueueOptions?> Queues { get; } = [];

    public List<(long Queue, string MessageId, DateTimeOffset SeenAt)> Seen { get; } = [];

    /// <summary>The time up to which IDs for duplicate detection are removed, by queue.</summary>
    public Dictionary<long, DateTimeOffset> Forgotten { get; } = [];

    public Dictionary<(long Queue, string SessionId), byte[]?> States { get; } = [];

    public bool IsEmpty =>
        Messages.Count + Numbers.Count + Queues.Count + Seen.Count + Forgotten.Count + States.Count == 0;

    /// <param name="isNew"><c>true</c> if no earlier group contains the message.</param>
    public void Put(MessageRow row, bool isNew)
    {
        var id = row.Message.JournalId;
        isNew |= Messages.TryGetValue(id, out var former) && former.IsNew;
        Messages[id] = new RowChange(row, isNew);
        Give((row.Queue, row.Place), row.Message.SequenceNumber);
    }

    public void Remove(long id)
    {
        if (Messages.TryGetValue(id, out var former) && former.IsNew)
            Messages.Remove(id);
        else
            Messages[id] = default;
    }

    public bool IsGone(long queue) => Queues.TryGetValue(queue, out var options) && options is null;

    public void Absorb(ChangeGroup later)
    {
        foreach (var (id, change) in later.Messages)
        {
            if (change.Row is { } row)
                Put(row, change.IsNew);
            else
                Remove(id);
        }
        foreach (var (place, number) in later.Numbers)
            Give(place, number);
        foreach (var (queue, options) in later.Queues)
            Queues[queue] = options;
        Seen.AddRange(later.Seen);
        foreach (var (queue, seenUpTo) in later.Forgotten)
            Forgotten[queue] = seenUpTo;
        foreach (var (session, state) in later.States)
            States[session] = state;
    }

    private void Give((long, Place) place, long number) =>
        Numbers[place] = Math.Max(Numbers.GetValueOrDefault(place), number);
}

/// <param name="IsNew"><c>true</c> if the file doesn't contain the row yet.</param>
internal readonly record struct RowChange(MessageRow? Row, bool IsNew);

/// <summary>The part of a queue that contains a message. The file stores the numbers.</summary>
internal enum Place
{
    Queue = 0,
    DeadLetters = 1,
    TransferDeadLetters = 2,
}

/// <summary>A message as stored: everything except locks.</summary>
/// <param name="Message">An immutable copy from when the row was created. It keeps its key when it moves to a
/// dead-letter queue.</param>
/// <param name="Properties">Encoded application properties that receivers changed. Encoding here makes invalid values
/// fail for their receiver and not in the writer.</param>
internal readonly record struct MessageRow(long Queue, Place Place, QueuedMessage Message, byte[]? Properties)
{
    public MessageState State =>
        Message.IsDeferred ? MessageState.Deferred
        : Message.State == MessageState.Scheduled ? MessageState.Scheduled
        : MessageState.Active;
}

/// <summary>Application properties as stored: an AMQP map, which supports all their types.</summary>
internal static class ChangedProperties
{
    public static byte[]? Encode(IReadOnlyDictionary<string, object?>? properties)
    {
        if (properties is null)
            return null;
        using var writer = new AmqpWriter();
        writer.WriteValue(
            properties.ToDictionary(entry => (object)entry.Key, entry => DescribedProperty.ToAmqp(entry.Value))
        );
        return writer.WrittenSpan.ToArray();
    }

    public static Dictionary<string, object?>? Decode(byte[]? encoded) =>
        encoded is null
            ? null
            : ((Dictionary<object, object?>)new AmqpReader(encoded).ReadValue()!).ToDictionary(
                entry => (string)entry.Key,
                entry => DescribedProperty.FromAmqp(entry.Value)
            );
}
