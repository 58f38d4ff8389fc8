namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The changes of a message. Locks aren't recorded: they end when the broker stops.</summary>
internal enum Transition
{
    /// <summary>Sent, or dead-lettered from the parent queue.</summary>
    Arrived,

    /// <summary>A scheduled message was enqueued with a new sequence number.</summary>
    CameDue,

    Released,

    Failed,

    Deferred,
    Completed,
    Expired,
    Purged,
    Cancelled,

    /// <summary>Removed. Added to a dead-letter queue without releasing the lock in between.</summary>
    DeadLettered,
}

/// <summary>Persists the contents of a queue. The default implementations do nothing. Each change is recorded where it
/// happens, under the queue's lock.</summary>
internal interface IQueueJournal
{
    IQueueJournal DeadLetters => this;

    IQueueJournal TransferDeadLetters => this;

    /// <summary>The reason why the journal can't be written; <c>null</c> if it can.</summary>
    string? WriteError { get; }

    void Record(Transition transition, QueuedMessage message) { }

    void Remember(string messageId, DateTimeOffset seenAt) { }

    /// <summary>Records the state of a session; <c>null</c> removes it.</summary>
    void KeepState(string sessionId, byte[]? state) { }

    /// <summary>Removes the message IDs seen up to this time, which are outside the window.</summary>
    void Forget(DateTimeOffset seenUpTo) { }

    void Describe(QueueOptions options) { }

    void Delete() { }

    /// <summary>Calls back when everything recorded so far is stored: immediately, or later on another thread, in the
    /// order of the calls.</summary>
    void WhenStored(Action call);
}

internal interface IJournal
{
    string? WriteError { get; }

    void Restore(ServiceBusNamespace entities) { }

    /// <summary>Runs a move whose recorded changes are stored atomically.</summary>
    /// <returns><c>false</c> if the broker is stopping and nothing was moved.</returns>
    bool TryMove(Action move)
    {
        move();
        return true;
    }

    /// <summary>Waits for running moves and prevents new ones.</summary>
    void EndMoves() { }

    IQueueJournal Add(QueueOptions options) => NoJournal.Instance;

    void WhenStored(Action call);
}

internal sealed class NoJournal : IJournal, IQueueJournal
{
    public static NoJournal Instance { get; } = new();

    public string? WriteError => null;

    public void WhenStored(Action call) => call();
}
