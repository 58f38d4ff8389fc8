using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;

namespace DroneDelivery.LocalServiceBus.Journal;

/// <summary>
/// The rows that one transaction writes. Of several changes of a row only the last is kept, so a group is never larger than what the queues
/// hold, however long the file cannot be written; and a message that comes and goes within a group costs nothing. Not safe for threads.
/// </summary>
internal sealed class ChangeGroup
{
    /// <summary>Message rows by key.</summary>
    public Dictionary<long, RowChange> Messages { get; } = [];

    /// <summary>The highest number that was given in each place of a queue.</summary>
    public Dictionary<(long Queue, Place Place), long> Numbers { get; } = [];

    /// <summary>Descriptions by queue; null: the queue is gone.</summary>
    public Dictionary<long, QueueOptions?> Queues { get; } = [];

    public List<(long Queue, string MessageId, DateTimeOffset SeenAt)> Seen { get; } = [];

    /// <summary>Until when ids are forgotten, by queue.</summary>
    public Dictionary<long, DateTimeOffset> Forgotten { get; } = [];

    /// <summary>Of sessions; null: the session has none any more.</summary>
    public Dictionary<(long Queue, string SessionId), byte[]?> States { get; } = [];

    public bool IsEmpty =>
        Messages.Count + Numbers.Count + Queues.Count + Seen.Count + Forgotten.Count + States.Count == 0;

    /// <param name="isNew">It is in no group before this one.</param>
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

    /// <summary>Whether the group deletes the queue.</summary>
    public bool IsGone(long queue) => Queues.TryGetValue(queue, out var options) && options is null;

    /// <summary>Takes in what came while this group could not be written: what has left since then needs no room any more.</summary>
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

/// <param name="Row">Null: the message is gone.</param>
/// <param name="IsNew">The file does not have it yet.</param>
internal readonly record struct RowChange(MessageRow? Row, bool IsNew);

/// <summary>Where a queue has a message. The numbers are those of the file.</summary>
internal enum Place
{
    Queue = 0,
    DeadLetters = 1,
    TransferDeadLetters = 2,
}

/// <summary>A message as the file has it: everything but locks.</summary>
/// <param name="Message">As it was when the row was made; nobody changes it. Its key is kept when it moves to a dead-letter queue.</param>
/// <param name="Properties">Those that receivers changed, encoded when the row is made: what cannot be encoded fails there, and never while
/// the file is written, where it would fail again with every try.</param>
internal readonly record struct MessageRow(long Queue, Place Place, QueuedMessage Message, byte[]? Properties)
{
    public MessageState State =>
        Message.IsDeferred ? MessageState.Deferred
        : Message.State == MessageState.Scheduled ? MessageState.Scheduled
        : MessageState.Active;
}

/// <summary>Application properties as the file has them: a map of AMQP, which has every type that a property may have.</summary>
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
