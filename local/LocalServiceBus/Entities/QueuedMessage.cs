using System.Buffers.Binary;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>A message in a queue. Changed only under that queue's lock.</summary>
internal sealed class QueuedMessage
{
    // Ticks take half the space of a DateTimeOffset.
    private long _enqueuedAt;
    private long _expiresAt = DateTimeOffset.MaxValue.UtcTicks;
    private long _deadline;

    // Rarely used properties. Immutable, because copies share it.
    private Extras? _extras;

    public QueuedMessage(MessageContent content, DateTimeOffset enqueuedAt, QueuedMessage? original = null)
    {
        Content = content;
        EnqueuedAt = enqueuedAt;
        if (original is null)
            return;
        EnqueuedSequenceNumber = original.EnqueuedSequenceNumber;
        // If a rule has changed the copy, its content already includes the changed properties.
        _extras = content.Body.Equals(original.Content.Body)
            ? original._extras
            : new Extras { Hops = original.Hops, DeadLetterSource = original.DeadLetterSource };
    }

    public MessageContent Content { get; }

    public long Size => MemorySize.Message + Content.WireSize + ChangedSize;

    /// <summary>The key in the journal; 0 if it isn't stored.</summary>
    public long JournalId { get; set; }

    /// <summary>The position in the queue. Redeliveries don't change it.</summary>
    public long SequenceNumber { get; set; }

    /// <summary>The sequence number in the entity to which the message was sent.</summary>
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

    /// <summary>The effective time to live: the sender's or the entity's, whichever is shorter; <c>null</c> for
    /// none.</summary>
    public TimeSpan? TimeToLive =>
        _expiresAt == DateTimeOffset.MaxValue.UtcTicks ? Content.TimeToLive : ExpiresAt - EnqueuedAt;

    public int Hops
    {
        get => _extras?.Hops ?? 0;
        init => _extras = value == 0 ? _extras : (_extras ?? new()) with { Hops = value };
    }

    /// <summary>The entity in which the message was dead-lettered before it was forwarded; <c>null</c> if it
    /// wasn't.</summary>
    public string? DeadLetterSource
    {
        get => _extras?.DeadLetterSource;
        init => _extras = value is null ? _extras : (_extras ?? new()) with { DeadLetterSource = value };
    }

    public int DeliveryCount { get; set; }

    public MessageState State { get; set; } = MessageState.Gone;

    /// <summary><c>true</c> for a deferred message, even while it's locked.</summary>
    public bool IsDeferred { get; set; }

    public MessageLock? Lock { get; set; }

    /// <summary>Application properties that receivers changed, overriding those in the body. Immutable.</summary>
    public IReadOnlyDictionary<string, object?>? ChangedProperties => _extras?.ChangedProperties;

    public long ChangedSize => _extras?.ChangedSize ?? 0;

    public Lane Lane { get; set; } = null!;

    public MessageList? List { get; set; }
    public QueuedMessage? Previous { get; set; }
    public QueuedMessage? Next { get; set; }
    public DateTimeOffset Deadline
    {
        get => TimeOf(_deadline);
        set => _deadline = value.UtcTicks;
    }

    /// <summary>Creates a copy that can be read without the queue's lock.</summary>
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

/// <summary>A lock on a message. Each delivery creates a new one, so that settlements for an earlier delivery are
/// detected. It doesn't refer to the message, so that a receiver that never settles doesn't keep messages in
/// memory.</summary>
internal sealed class MessageLock(Guid token, DateTimeOffset until)
{
    private bool _isResponding;

    public Guid Token { get; } = token;
    public long SequenceNumber => SequenceNumberOf(Token);
    public DateTimeOffset Until { get; set; } = until;

    /// <summary>Claims the response to the delivery, which is sent once outside of transactions.</summary>
    public bool TryBeginResponse() => !Interlocked.Exchange(ref _isResponding, true);

    /// <summary>Releases the claim: the settlement is part of a transaction, which can be rolled back.</summary>
    public void EndResponse() => Volatile.Write(ref _isResponding, false);

    /// <summary>Creates a token from the sequence number, which finds the lock without a table, and a nonce, which
    /// makes it unique.</summary>
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
