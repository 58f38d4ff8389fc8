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

/// <summary>Keeps what a queue holds beyond the end of the broker, or nothing, as its members do by default. Each change of the contents is
/// recorded once, where it happens, under the queue's lock.</summary>
internal interface IQueueJournal
{
    /// <summary>Of the queue's dead-letter queue.</summary>
    IQueueJournal DeadLetters => this;

    /// <summary>Of messages that the queue could not forward.</summary>
    IQueueJournal TransferDeadLetters => this;

    /// <summary>Why nothing can be kept at present; null: it can.</summary>
    string? Trouble { get; }

    void Record(Transition transition, QueuedMessage message) { }

    /// <summary>An id that duplicate detection has seen.</summary>
    void Remember(string messageId, DateTimeOffset seenAt) { }

    /// <summary>What a receiver keeps with a session; null: nothing any more.</summary>
    void KeepState(string sessionId, byte[]? state) { }

    /// <summary>Ids that were seen up to then are out of the window.</summary>
    void Forget(DateTimeOffset seenUpTo) { }

    /// <summary>The queue has another description.</summary>
    void Describe(QueueOptions options) { }

    /// <summary>The queue is gone, and with it everything that was recorded.</summary>
    void Delete() { }

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
    void Restore(ServiceBusNamespace entities) { }

    /// <summary>What is recorded on this thread during the move is kept together or not at all.</summary>
    /// <returns>False: the broker ends, and nothing was moved.</returns>
    bool TryMove(Action move)
    {
        move();
        return true;
    }

    /// <summary>Waits for those that are under way: the queues are about to be gone. No other begins.</summary>
    void EndMoves() { }

    /// <summary>Of a new queue.</summary>
    IQueueJournal Add(QueueOptions options) => NoJournal.Instance;

    /// <summary>See <see cref="IQueueJournal.WhenKept"/>.</summary>
    void WhenKept(Action call);
}

/// <summary>Memory alone: nothing outlives the broker.</summary>
internal sealed class NoJournal : IJournal, IQueueJournal
{
    public static NoJournal Instance { get; } = new();

    public string? Trouble => null;

    public void WhenKept(Action call) => call();
}
