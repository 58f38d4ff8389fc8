using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Journal;

/// <summary>
/// The rows that one transaction writes. Of several changes of a row only the last is kept, so a group is never larger than what the queues
/// hold, however long the file cannot be written; and a message that comes and goes within a group costs nothing. Not safe for threads.
/// </summary>
internal sealed class ChangeGroup
{
    private readonly Dictionary<long, RowChange> _messages = [];
    private readonly Dictionary<long, LastNumbers> _numbers = [];
    private readonly Dictionary<long, QueueOptions?> _queues = [];
    private readonly List<(long Queue, string MessageId, DateTimeOffset SeenAt)> _seen = [];
    private readonly Dictionary<long, DateTimeOffset> _forgotten = [];
    private readonly Dictionary<(long Queue, string SessionId), (byte[]? State, DateTimeOffset SetAt)> _states = [];

    /// <summary>Message rows by key.</summary>
    public IReadOnlyDictionary<long, RowChange> Messages => _messages;

    /// <summary>The highest numbers that were given, by queue.</summary>
    public IReadOnlyDictionary<long, LastNumbers> Numbers => _numbers;

    /// <summary>Descriptions by queue; null: the queue is gone.</summary>
    public IReadOnlyDictionary<long, QueueOptions?> Queues => _queues;

    public IReadOnlyList<(long Queue, string MessageId, DateTimeOffset SeenAt)> Seen => _seen;

    /// <summary>Until when ids are forgotten, by queue.</summary>
    public IReadOnlyDictionary<long, DateTimeOffset> Forgotten => _forgotten;

    /// <summary>Of sessions; null: the session has none any more.</summary>
    public IReadOnlyDictionary<(long Queue, string SessionId), (byte[]? State, DateTimeOffset SetAt)> States => _states;

    public bool IsEmpty => _messages.Count + _numbers.Count + _queues.Count + _seen.Count + _forgotten.Count + _states.Count == 0;

    /// <param name="row">As the message is now.</param>
    /// <param name="isNew">It is in no group before this one.</param>
    public void Put(MessageRow row, bool isNew)
    {
        isNew |= _messages.TryGetValue(row.Id, out var former) && former.IsNew;
        _messages[row.Id] = new RowChange(row, isNew);
        _numbers[row.Queue] = _numbers.GetValueOrDefault(row.Queue).With(row.Place, row.Number);
    }

    public void Remove(long id)
    {
        if (_messages.TryGetValue(id, out var former) && former.IsNew)
            _messages.Remove(id);
        else
            _messages[id] = default;
    }

    /// <summary>Whether the group deletes the queue.</summary>
    public bool IsGone(long queue) => _queues.TryGetValue(queue, out var options) && options is null;

    public void Describe(long queue, QueueOptions? options) => _queues[queue] = options;

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
        foreach (var (queue, numbers) in later.Numbers)
            _numbers[queue] = _numbers.GetValueOrDefault(queue).Max(numbers);
        foreach (var (queue, options) in later.Queues)
            _queues[queue] = options;
        _seen.AddRange(later.Seen);
        foreach (var (queue, seenUpTo) in later.Forgotten)
            _forgotten[queue] = seenUpTo;
        foreach (var (session, state) in later.States)
            _states[session] = state;
    }

    public void Remember(long queue, string messageId, DateTimeOffset seenAt) => _seen.Add((queue, messageId, seenAt));

    public void KeepState(long queue, string sessionId, byte[]? state, DateTimeOffset setAt) =>
        _states[(queue, sessionId)] = (state, setAt);

    public void Forget(long queue, DateTimeOffset seenUpTo) => _forgotten[queue] = seenUpTo;
}

/// <param name="Row">Null: the message is gone.</param>
/// <param name="IsNew">The file does not have it yet.</param>
internal readonly record struct RowChange(MessageRow? Row, bool IsNew);
