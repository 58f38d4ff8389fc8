namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>A message while a queue holds it. Changed only under that queue's lock.</summary>
internal sealed class QueuedMessage(MessageContent content, DateTimeOffset enqueuedAt)
{
    // Objects, references and array heads of one message; measured on .NET 10: 400 to 450 bytes.
    private const int OwnSize = 512;

    public MessageContent Content { get; } = content;

    /// <summary>What the message costs its queue, in bytes.</summary>
    public long Size => OwnSize + Content.WireSize + ChangedSize;

    /// <summary>Its key in the journal; 0 where none is kept.</summary>
    public long JournalId { get; set; }

    /// <summary>Its place in the queue; kept through every redelivery.</summary>
    public long SequenceNumber { get; set; }

    /// <summary>The number given at the original point of submission.</summary>
    public long EnqueuedSequenceNumber { get; set; }

    public DateTimeOffset EnqueuedAt { get; set; } = enqueuedAt;
    public DateTimeOffset ExpiresAt { get; set; } = DateTimeOffset.MaxValue;

    /// <summary>How often it was forwarded so far. See <see cref="Forwarding.MostHops"/>.</summary>
    public int Hops { get; init; }

    /// <summary>Of which entity it was a dead letter that was forwarded; null: of none.</summary>
    public string? DeadLetterSource { get; init; }

    /// <summary>Deliveries that have failed so far.</summary>
    public int DeliveryCount { get; set; }

    public MessageState State { get; set; } = MessageState.Gone;

    /// <summary>A deferred message stays one while it is locked, and goes back to being one.</summary>
    public bool IsDeferred { get; set; }

    /// <summary>The one valid lock; null when nobody holds one.</summary>
    public MessageLock? Lock { get; set; }

    /// <summary>Application properties that receivers changed, over those in the body. Replaced, never changed in place.</summary>
    public IReadOnlyDictionary<string, object?>? ChangedProperties { get; private set; }

    /// <summary>Of <see cref="ChangedProperties"/>, as <see cref="PropertySize"/> has it.</summary>
    public long ChangedSize { get; private set; }

    /// <summary>Where it waits while it is active. Given when it arrives.</summary>
    public Lane Lane { get; set; } = null!;

    // Where the queue's structures keep it: links of the arrival list, slots of the two heaps (-1: not there).
    public QueuedMessage? Previous { get; set; }
    public QueuedMessage? Next { get; set; }
    public DateTimeOffset Deadline { get; set; }
    public int DeadlineSlot = -1;
    public int ReturnSlot = -1;

    /// <summary>The message as it is now, to be looked at without the queue's lock.</summary>
    public QueuedMessage Copy()
    {
        var copy = (QueuedMessage)MemberwiseClone();
        copy.Previous = copy.Next = null;
        copy.Lock = null;
        return copy;
    }

    public void ChangeProperties(IReadOnlyDictionary<string, object?>? changes)
    {
        if (changes is null || changes.Count == 0)
            return;
        ChangedSize = PropertySize.After(this, changes);
        var merged = ChangedProperties is null ? [] : new Dictionary<string, object?>(ChangedProperties);
        foreach (var (name, value) in changes)
            merged[name] = value;
        ChangedProperties = merged;
    }
}
