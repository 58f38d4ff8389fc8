using System.Diagnostics;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Brings the messages of one lane to its receivers, one message per turn, receivers in rotation, so that a receiver with
/// much credit does not starve the others. Messages are chosen and locked under the queue's lock and sent outside of it.</summary>
internal sealed class Dispatcher(Queue queue, Lane lane, Defects defects) : IThreadPoolWorkItem
{
    // Whoever brings a message or credit dispatches on its own thread, which saves a thread switch; after so many turns the pool
    // takes over, or a busy queue would keep a connection from reading.
    private const int TurnsPerCall = 256;

    private readonly QueueContents _contents = queue.Contents;
    private readonly Lock _gate = queue.Gate;
    private readonly LinkedList<QueueReceiver> _waiting = [];
    private readonly HashSet<QueueReceiver> _draining = [];
    private bool _running;
    private bool _stopped;

    /// <summary>What a draining receiver waits for. Messages that are left are its own as long as it has credit: it may lack
    /// room to write.</summary>
    private bool IsExhausted => _draining.Count > 0 && _contents.NextIn(lane) is null;

    private bool HasWork => !_stopped && _waiting.Count > 0 && _contents.NextIn(lane) is not null;

    public void Signal(QueueReceiver receiver, bool drain)
    {
        lock (_gate)
        {
            if (drain && !receiver.IsClosed)
                _draining.Add(receiver);
            queue.Use.Begin(receiver);
            receiver.IsSignaled = true;
            if (receiver.Place.List is null && !receiver.IsInTurn && !receiver.IsClosed)
                _waiting.AddLast(receiver.Place);
        }
        Run();
    }

    public void Close(QueueReceiver receiver)
    {
        lock (_gate)
        {
            receiver.IsClosed = true;
            queue.Use.End(receiver);
            _draining.Remove(receiver);
            if (receiver.Place.List is not null)
                _waiting.Remove(receiver.Place);
        }
    }

    /// <summary>For good: no further turn begins.</summary>
    public void Stop()
    {
        lock (_gate)
            _stopped = true;
    }

    /// <summary>Hands out messages as long as there are messages and receivers. A dispatch that is under way needs no second one: it
    /// looks again, under the lock, before it ends. One at a time also keeps messages in order on each link.</summary>
    public void Run() => Run(isStarted: false);

    /// <summary>The same on the thread pool, for callers that hold a lock.</summary>
    public void RunLater()
    {
        if (TryStart())
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    void IThreadPoolWorkItem.Execute() => Run(isStarted: true);

    private void Run(bool isStarted)
    {
        try
        {
            if (isStarted || TryStart())
                RunTurns();
        }
        catch (Exception error)
        {
            // Whoever brought a message, credit or a settlement has nothing to do with it, and on the pool it would end the process.
            queue.Fail(error);
        }
    }

    private bool TryStart()
    {
        lock (_gate)
            return !_running && !_stopped && (_running = HasWork || IsExhausted);
    }

    private void RunTurns()
    {
        Turn turn;
        List<QueueReceiver>? exhausted;
        lock (_gate)
            exhausted = TryBegin(out turn) ? null : TakeDraining();
        for (var turns = 1; exhausted is null; turns++)
        {
            var result = Deliver(turn);
            lock (_gate)
            {
                End(turn, result);
                if (turns == TurnsPerCall)
                {
                    ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
                    return;
                }
                exhausted = TryBegin(out turn) ? null : TakeDraining();
            }
        }
        foreach (var receiver in exhausted)
            AnswerDrain(receiver);
    }

    private void AnswerDrain(QueueReceiver receiver)
    {
        try
        {
            receiver.OnExhausted?.Invoke();
        }
        catch (Exception error)
        {
            EndReceiver(receiver, error);
        }
    }

    /// <summary>Whoever dispatches has nothing to do with it, be it a sender, a timer or the pool: only the receiver's owner
    /// is told.</summary>
    private void EndReceiver(QueueReceiver receiver, Exception error)
    {
        Close(receiver);
        try
        {
            receiver.OnFailed(error);
            defects.Add();
        }
        catch (Exception untold)
        {
            defects.Report("telling a client that its link has failed", new AggregateException(error, untold));
        }
    }

    private DeliveryResult Deliver(in Turn turn)
    {
        try
        {
            return turn.Receiver.Deliver(turn.Message, turn.Lock);
        }
        catch (Exception error)
        {
            EndReceiver(turn.Receiver, error);
            return DeliveryResult.Failed;
        }
    }

    private bool TryBegin(out Turn turn)
    {
        turn = default;
        _running = HasWork && _contents.ExpireHead(lane, Queue.MostPerHold) && HasWork;
        if (!_running)
            return false;
        var receiver = _waiting.First!.Value;
        _waiting.RemoveFirst();
        receiver.IsInTurn = true;
        receiver.IsSignaled = false;
        var message = _contents.NextIn(lane)!;
        turn = new Turn(receiver, message, _contents.BeginDelivery(message, receiver.Mode));
        return true;
    }

    private List<QueueReceiver> TakeDraining()
    {
        if (!IsExhausted)
            return NoReceivers;
        List<QueueReceiver> taken = [.. _draining];
        _draining.Clear();
        return taken;
    }

    private void End(in Turn turn, DeliveryResult result)
    {
        var receiver = turn.Receiver;
        receiver.IsInTurn = false;
        switch (result)
        {
            case DeliveryResult.Refused:
                _contents.TakeBack(turn.Message, turn.Lock);
                break;
            case DeliveryResult.Failed:
                _contents.FailDelivery(turn.Message, turn.Lock);
                break;
            case DeliveryResult.SentWantsMore or DeliveryResult.SentEnough:
                _contents.EndDelivery(turn.Message, receiver.Mode);
                break;
            case DeliveryResult.Moved:
                break; // it is not here any more
            default:
                throw new UnreachableException($"A hand-over that is {result}.");
        }
        // A signal that came while the message was under way may be about credit that this turn did not see.
        var wantsMore = result is DeliveryResult.SentWantsMore or DeliveryResult.Moved || receiver.IsSignaled;
        if (wantsMore && !receiver.IsClosed)
            _waiting.AddLast(receiver.Place);
    }

    private static readonly List<QueueReceiver> NoReceivers = [];

    private readonly record struct Turn(QueueReceiver Receiver, QueuedMessage Message, MessageLock? Lock);
}

internal enum ReceiveMode
{
    PeekLock,
    ReceiveAndDelete,
}

/// <summary>What became of a message that was handed to a receiver.</summary>
internal enum DeliveryResult
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
    Func<QueuedMessage, MessageLock?, DeliveryResult> deliver,
    Action<Exception> onFailed,
    Action? onExhausted
)
{
    public ReceiveMode Mode => mode;

    public Func<QueuedMessage, MessageLock?, DeliveryResult> Deliver => deliver;

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

    /// <summary>One of <see cref="QueueUse.Receivers"/>.</summary>
    public bool IsCounted { get; set; }

    /// <summary>Credit came, or room to write.</summary>
    public void Signal() => dispatcher.Signal(this, drain: false);

    /// <summary>The receiver takes what is there now and will not wait for more.</summary>
    public void SignalLast() => dispatcher.Signal(this, drain: true);

    /// <summary>No message is handed over that is not under way already. Locks stay with their messages.</summary>
    public void Close() => dispatcher.Close(this);
}
