using System.Buffers.Binary;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>A message in a queue. Changed only under that queue's lock.</summary>
internal sealed class QueuedMessage
{
    // Queues may hold millions of messages: times are kept as ticks, which take half of a DateTimeOffset, and small numbers as such.
    private long _enqueuedAt;
    private long _expiresAt = DateTimeOffset.MaxValue.UtcTicks;
    private long _deadline;

    // What most messages lack has no place in each of them. Replaced, never changed in place: copies share it.
    private Extras? _extras;

    /// <param name="original">The message of another queue that this one is a copy of.</param>
    public QueuedMessage(MessageContent content, DateTimeOffset enqueuedAt, QueuedMessage? original = null)
    {
        Content = content;
        EnqueuedAt = enqueuedAt;
        if (original is null)
            return;
        EnqueuedSequenceNumber = original.EnqueuedSequenceNumber;
        // The content of a copy that a rule has changed includes the changed properties.
        _extras = content.Body.Equals(original.Content.Body)
            ? original._extras
            : new Extras { Hops = original.Hops, DeadLetterSource = original.DeadLetterSource };
    }

    public MessageContent Content { get; }

    /// <summary>What the message costs its queue, in bytes.</summary>
    public long Size => MemorySize.Message + Content.WireSize + ChangedSize;

    /// <summary>Its key in the journal; 0 where none is kept.</summary>
    public long JournalId { get; set; }

    /// <summary>Its place in the queue; kept through every redelivery.</summary>
    public long SequenceNumber { get; set; }

    /// <summary>The number given at the original point of submission.</summary>
    public long EnqueuedSequenceNumber { get; set; }

    public DateTimeOffset EnqueuedAt
    {
        get => TimeOf(_enqueuedAt);
        set => _enqueuedAt = value.UtcTicks;
    }
    public DateTimeOffset ExpiresAt
    {
        get => TimeOf(_expiresAt);
        set => _expiresAt = value.UtcTicks;
    }

    /// <summary>What the sender gave it, or the entity's if that ends sooner; null: no end.</summary>
    public TimeSpan? TimeToLive =>
        _expiresAt == DateTimeOffset.MaxValue.UtcTicks ? Content.TimeToLive : ExpiresAt - EnqueuedAt;

    /// <summary>How often it was forwarded so far. See <see cref="Forwarding.MaxHops"/>.</summary>
    public int Hops
    {
        get => _extras?.Hops ?? 0;
        init => _extras = value == 0 ? _extras : (_extras ?? new()) with { Hops = value };
    }

    /// <summary>Of which entity it was a dead letter that was forwarded; null: of none.</summary>
    public string? DeadLetterSource
    {
        get => _extras?.DeadLetterSource;
        init => _extras = value is null ? _extras : (_extras ?? new()) with { DeadLetterSource = value };
    }

    /// <summary>Deliveries that have failed so far.</summary>
    public int DeliveryCount { get; set; }

    public MessageState State { get; set; } = MessageState.Gone;

    /// <summary>A deferred message stays one while it is locked, and goes back to being one.</summary>
    public bool IsDeferred { get; set; }

    /// <summary>The one valid lock; null when nobody holds one.</summary>
    public MessageLock? Lock { get; set; }

    /// <summary>Application properties that receivers changed, over those in the body. Replaced, never changed in place.</summary>
    public IReadOnlyDictionary<string, object?>? ChangedProperties => _extras?.ChangedProperties;

    /// <summary>Of <see cref="ChangedProperties"/>, as <see cref="MemorySize"/> has it.</summary>
    public long ChangedSize => _extras?.ChangedSize ?? 0;

    /// <summary>Where it waits while it is active. Given when it arrives.</summary>
    public Lane Lane { get; set; } = null!;

    // Where the queue's structures keep it: the list that it is in, of a lane or of locks, and its neighbors there.
    public MessageList? List { get; set; }
    public QueuedMessage? Previous { get; set; }
    public QueuedMessage? Next { get; set; }
    public DateTimeOffset Deadline
    {
        get => TimeOf(_deadline);
        set => _deadline = value.UtcTicks;
    }

    /// <summary>The message as it is now, to be looked at without the queue's lock.</summary>
    public QueuedMessage Copy()
    {
        var copy = (QueuedMessage)MemberwiseClone();
        copy.List = null;
        copy.Previous = copy.Next = null;
        copy.Lock = null;
        return copy;
    }

    public void ChangeProperties(IReadOnlyDictionary<string, object?>? changes)
    {
        if (changes is null || changes.Count == 0)
            return;
        var size = MemorySize.After(this, changes);
        var merged = ChangedProperties is null ? [] : new Dictionary<string, object?>(ChangedProperties);
        foreach (var (name, value) in changes)
            merged[name] = value;
        _extras = (_extras ?? new()) with { ChangedProperties = merged, ChangedSize = size };
    }

    private static DateTimeOffset TimeOf(long ticks) => new(ticks, TimeSpan.Zero);

    private sealed record Extras
    {
        public int Hops { get; init; }
        public string? DeadLetterSource { get; init; }
        public IReadOnlyDictionary<string, object?>? ChangedProperties { get; init; }
        public long ChangedSize { get; init; }
    }
}

internal enum MessageState : byte
{
    Active,
    Locked,
    Deferred,
    Scheduled,
    Gone,
}

/// <summary>A receiver's hold on a message from one delivery until <see cref="Until"/>. Every delivery makes a new one, so that a
/// settlement that comes after the message was handed out again is recognized as late. It does not refer to the message: a receiver
/// that never settles keeps locks, and no message.</summary>
internal sealed class MessageLock(Guid token, DateTimeOffset until)
{
    private bool _isBeingAnswered;

    public Guid Token { get; } = token;
    public long SequenceNumber => SequenceNumberOf(Token);
    public DateTimeOffset Until { get; set; } = until;

    /// <summary>For the receiver's side, which answers each delivery once, outside of transactions.</summary>
    /// <returns>False: somebody has begun to already.</returns>
    public bool TryBeginAnswer() => !Interlocked.Exchange(ref _isBeingAnswered, true);

    /// <summary>The answer was not the last one: the delivery is a step of a transaction, which may be rolled back.</summary>
    public void EndAnswer() => Volatile.Write(ref _isBeingAnswered, false);

    /// <summary>The token carries the sequence number, which finds the lock without a table; the nonce makes it unique.</summary>
    public static Guid TokenFor(long sequenceNumber, long nonce)
    {
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, sequenceNumber);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[8..], nonce);
        return new Guid(bytes);
    }

    public static long SequenceNumberOf(Guid token)
    {
        Span<byte> bytes = stackalloc byte[16];
        token.TryWriteBytes(bytes);
        return BinaryPrimitives.ReadInt64LittleEndian(bytes);
    }
}
