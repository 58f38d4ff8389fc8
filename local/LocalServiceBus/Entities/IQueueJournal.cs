namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>What becomes of a message of a queue. Locks are not among it: they end with the broker.</summary>
internal enum Transition
{
    /// <summary>New here: sent, or dead-lettered from the parent queue.</summary>
    Arrived,

    /// <summary>A scheduled message got its turn, and another number.</summary>
    CameDue,

    /// <summary>Back in its place as if it had never been handed out.</summary>
    Released,

    /// <summary>Back in its place, with one failed delivery more.</summary>
    Failed,

    Deferred,
    Completed,
    Expired,
    Purged,
    Cancelled,

    /// <summary>Gone from here. It arrives in a dead-letter queue under the same hold of the lock.</summary>
    DeadLettered,
}

/// <summary>Keeps what a queue holds beyond the end of the broker. Each change of the contents is recorded once, where it happens, under
/// the queue's lock.</summary>
internal interface IQueueJournal
{
    /// <summary>Of the queue's dead-letter queue.</summary>
    IQueueJournal DeadLetters { get; }

    /// <summary>Of messages that the queue could not forward.</summary>
    IQueueJournal TransferDeadLetters { get; }

    /// <summary>Why nothing can be kept at present; null: it can.</summary>
    string? Trouble { get; }

    /// <param name="transition">That has happened.</param>
    /// <param name="message">As it is now.</param>
    void Record(Transition transition, QueuedMessage message);

    /// <summary>An id that duplicate detection has seen.</summary>
    void Remember(string messageId, DateTimeOffset seenAt);

    /// <summary>What a receiver keeps with a session; null: nothing any more.</summary>
    void KeepState(string sessionId, byte[]? state, DateTimeOffset setAt);

    /// <summary>Ids that were seen up to then are out of the window.</summary>
    void Forget(DateTimeOffset seenUpTo);

    /// <summary>The queue has another description.</summary>
    void Describe(QueueOptions options);

    /// <summary>The queue is gone, and with it everything that was recorded.</summary>
    void Delete();

    /// <summary>Calls back when all that was recorded so far is kept: at once, or later on another thread, in the order of the
    /// calls.</summary>
    void WhenKept(Action call);
}

/// <summary>The same of all queues of a broker.</summary>
internal interface IJournal
{
    /// <summary>See <see cref="IQueueJournal.Trouble"/>.</summary>
    string? Trouble { get; }

    /// <summary>Makes the queues what they were when the broker ended.</summary>
    void Restore(ServiceBusNamespace entities);

    /// <summary>What is recorded on this thread until the end of the move is kept together or not at all. Moves may be within each
    /// other.</summary>
    /// <returns>False: the broker ends, and nothing may move any more.</returns>
    bool BeginMove();

    void EndMove();

    /// <summary>Waits for those that are under way: the queues are about to be gone. No other begins.</summary>
    void EndMoves();

    /// <summary>Of a new queue.</summary>
    IQueueJournal Add(QueueOptions options);

    /// <summary>See <see cref="IQueueJournal.WhenKept"/>.</summary>
    void WhenKept(Action call);
}

/// <summary>Memory alone: nothing outlives the broker.</summary>
internal sealed class NoJournal : IJournal, IQueueJournal
{
    public static NoJournal Instance { get; } = new();

    public IQueueJournal DeadLetters => this;

    public IQueueJournal TransferDeadLetters => this;

    public string? Trouble => null;

    public IQueueJournal Add(QueueOptions options) => this;

    public bool BeginMove() => true;

    public void EndMove()
    {
        // Nothing is kept at all.
    }

    public void EndMoves()
    {
        // As above.
    }

    public void Restore(ServiceBusNamespace entities)
    {
        // There is nothing.
    }

    public void Record(Transition transition, QueuedMessage message)
    {
        // Nobody asks for it again.
    }

    public void Remember(string messageId, DateTimeOffset seenAt)
    {
        // As above.
    }

    public void KeepState(string sessionId, byte[]? state, DateTimeOffset setAt)
    {
        // As above.
    }

    public void Forget(DateTimeOffset seenUpTo)
    {
        // As above.
    }

    public void Describe(QueueOptions options)
    {
        // As above.
    }

    public void Delete()
    {
        // As above.
    }

    public void WhenKept(Action call) => call();
}
