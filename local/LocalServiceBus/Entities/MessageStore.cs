using System.Runtime.InteropServices;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The messages of one queue by sequence number, and their counts by state. Numbers increase by one, so arrays
/// in chunks serve as an ordered map.</summary>
internal sealed class MessageStore(MemoryShare memory)
{
    // Small, because one remaining message keeps its chunk in memory.
    private const int ChunkSize = 256;

    private readonly List<Chunk> _chunks = []; // Ascending. Empty chunks are removed, except the last.
    private readonly long[] _counts = new long[Enum.GetValues<MessageState>().Length];

    public long Count { get; private set; }

    /// <summary>The number of chunks. Each takes memory for all its slots, which peek scans.</summary>
    public int ChunkCount => _chunks.Count;

    public long CountOf(MessageState state) => _counts[(int)state];

    public void Add(QueuedMessage message, MessageState state)
    {
        var chunk = ChunkFor(message.SequenceNumber);
        chunk.Slots[message.SequenceNumber % ChunkSize] = message;
        chunk.Count++;
        Count++;
        memory.Add(message.Size);
        message.State = state;
        _counts[(int)state]++;
    }

    public void Move(QueuedMessage message, MessageState state)
    {
        _counts[(int)message.State]--;
        _counts[(int)state]++;
        message.State = state;
    }

    public void Remove(QueuedMessage message)
    {
        var position = PositionOf(message.SequenceNumber / ChunkSize);
        var chunk = _chunks[position];
        chunk.Slots[message.SequenceNumber % ChunkSize] = null;
        Count--;
        memory.Add(-message.Size);
        _counts[(int)message.State]--;
        message.State = MessageState.Gone;
        if (--chunk.Count == 0 && position < _chunks.Count - 1)
            _chunks.RemoveAt(position);
    }

    public void ChangeProperties(QueuedMessage message, IReadOnlyDictionary<string, object?>? changes)
    {
        memory.Add(-message.Size);
        message.ChangeProperties(changes);
        memory.Add(message.Size);
    }

    public QueuedMessage? Find(long sequenceNumber)
    {
        if (sequenceNumber < 0)
            return null;
        var position = PositionOf(sequenceNumber / ChunkSize);
        return position < 0 ? null : _chunks[position].Slots[sequenceNumber % ChunkSize];
    }

    /// <summary>Enumerates messages by sequence number. The queue's lock must be held.</summary>
    public IEnumerable<QueuedMessage> From(long sequenceNumber)
    {
        var start = Math.Max(sequenceNumber, 0);
        var position = PositionOf(start / ChunkSize);
        for (var i = position < 0 ? ~position : position; i < _chunks.Count; i++)
        {
            foreach (var message in _chunks[i].Slots)
            {
                if (message is not null && message.SequenceNumber >= start)
                    yield return message;
            }
        }
    }

    private Chunk ChunkFor(long sequenceNumber)
    {
        var number = sequenceNumber / ChunkSize;
        var position = PositionOf(number);
        if (position >= 0)
            return _chunks[position];
        var chunk = new Chunk(number);
        if (~position < _chunks.Count)
        {
            // A number that was reserved by a transaction before later ones were assigned.
            _chunks.Insert(~position, chunk);
            return chunk;
        }
        // The last chunk is full, and no removal will remove it if it's already empty.
        if (_chunks is [.., { Count: 0 }])
            _chunks.RemoveAt(_chunks.Count - 1);
        _chunks.Add(chunk);
        return chunk;
    }

    /// <summary>Returns the index of the chunk, or the complement of its insertion index, like BinarySearch.</summary>
    private int PositionOf(long number)
    {
        // Arrivals use the last chunk, and almost all removals use the first.
        if (_chunks.Count > 0 && _chunks[^1].Number == number)
            return _chunks.Count - 1;
        return CollectionsMarshal.AsSpan(_chunks).BinarySearch(new SearchKey(number));
    }

    private readonly struct SearchKey(long number) : IComparable<Chunk>
    {
        public int CompareTo(Chunk? other) => number.CompareTo(other!.Number);
    }

    private sealed class Chunk(long number)
    {
        public long Number { get; } = number;
        public int Count { get; set; }
        public QueuedMessage?[] Slots { get; } = new QueuedMessage?[ChunkSize];
    }
}

/// <summary>Messages for the same receivers, by sequence number: all messages of a queue or, with sessions, those of
/// one session. New and returned messages form a list each, because they mostly arrive in order; others are sorted. The
/// next message is the smallest of the three heads.</summary>
internal class Lane
{
    private readonly MessageList _arrived = new();
    private readonly MessageList _returned = new();
    private readonly SortedSet<QueuedMessage> _outOfOrder = new(BySequenceNumber);

    public QueuedMessage? Next => Earlier(Earlier(_returned.First, _outOfOrder.Min), _arrived.First);

    public void Arrive(QueuedMessage message) => _arrived.Append(message);

    public void Return(QueuedMessage message)
    {
        if (_returned.Last is { } last && last.SequenceNumber > message.SequenceNumber)
            _outOfOrder.Add(message);
        else
            _returned.Append(message);
    }

    public void Remove(QueuedMessage message)
    {
        if (message.List is { } list)
            list.Remove(message);
        else
            _outOfOrder.Remove(message);
    }

    private static readonly Comparer<QueuedMessage> BySequenceNumber = Comparer<QueuedMessage>.Create(
        static (one, other) => one.SequenceNumber.CompareTo(other.SequenceNumber)
    );

    private static QueuedMessage? Earlier(QueuedMessage? one, QueuedMessage? other) =>
        one is null || other?.SequenceNumber < one.SequenceNumber ? other : one;
}

/// <summary>A linked list whose nodes are the messages, so removal takes constant time. A message can be in only one
/// list.</summary>
internal sealed class MessageList
{
    public QueuedMessage? First { get; private set; }

    public QueuedMessage? Last { get; private set; }

    public void Append(QueuedMessage message)
    {
        message.List = this;
        message.Previous = Last;
        if (Last is null)
            First = message;
        else
            Last.Next = message;
        Last = message;
    }

    public void Remove(QueuedMessage message)
    {
        if (message.Previous is { } previous)
            previous.Next = message.Next;
        else
            First = message.Next;
        if (message.Next is { } next)
            next.Previous = message.Previous;
        else
            Last = message.Previous;
        message.List = null;
        message.Previous = message.Next = null;
    }
}
