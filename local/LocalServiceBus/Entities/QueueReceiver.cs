namespace DroneDelivery.LocalServiceBus.Entities;

internal enum ReceiveMode
{
    PeekLock,
    ReceiveAndDelete,
}

/// <summary>What became of a message that was handed to a receiver.</summary>
internal enum HandOver
{
    /// <summary>Sent; the receiver can take another.</summary>
    SentWantsMore,

    /// <summary>Sent; nothing more until the receiver signals.</summary>
    SentEnough,

    /// <summary>The broker itself has moved it to another entity; the receiver can take another.</summary>
    Moved,

    /// <summary>Not sent: the receiver has no credit or is gone. The message goes back; nothing more until a signal.</summary>
    Refused,

    /// <summary>The attempt threw. It counts as a failed delivery, and the receiver gets nothing more.</summary>
    Failed,
}

/// <summary>A client's wish for messages of one queue. Its credit is the link's own, spent when a message is sent: there is no
/// second count that could disagree with it. The flags belong to the dispatcher and change under the queue's lock.</summary>
/// <param name="mode">Whether messages are locked or gone once they are handed over.</param>
/// <param name="deliver">Sends one message, with its lock in peek-lock mode. Called outside the queue's lock, by one thread at a time for
/// all receivers of a queue; must not block.</param>
/// <param name="onFailed">Told what <paramref name="deliver"/> threw. The receiver is closed by then.</param>
/// <param name="onExhausted">Answers <see cref="SignalLast"/>: everything that was there for this receiver has been sent.</param>
internal sealed class QueueReceiver(
    Dispatcher dispatcher,
    ReceiveMode mode,
    Func<QueuedMessage, MessageLock?, HandOver> deliver,
    Action<Exception> onFailed,
    Action? onExhausted
)
{
    public ReceiveMode Mode => mode;

    public Func<QueuedMessage, MessageLock?, HandOver> Deliver => deliver;

    public Action<Exception> OnFailed => onFailed;

    public Action? OnExhausted => onExhausted;

    /// <summary>In the dispatcher's list while the receiver waits for its turn.</summary>
    public LinkedListNode<QueueReceiver> Place => field ??= new(this);

    /// <summary>Has a message under way.</summary>
    public bool IsInTurn { get; set; }

    /// <summary>Signaled since its last turn began.</summary>
    public bool IsSignaled { get; set; }

    public bool IsClosed { get; set; }

    /// <summary>The broker's own, which is no use of the queue.</summary>
    public bool IsOwn { get; init; }

    /// <summary>One of <see cref="QueueContents.Receivers"/>.</summary>
    public bool IsCounted { get; set; }

    /// <summary>Credit came, or room to write.</summary>
    public void Signal() => dispatcher.Signal(this, drain: false);

    /// <summary>The receiver takes what is there now and will not wait for more.</summary>
    public void SignalLast() => dispatcher.Signal(this, drain: true);

    /// <summary>No message is handed over that is not under way already. Locks stay with their messages.</summary>
    public void Close() => dispatcher.Close(this);
}
