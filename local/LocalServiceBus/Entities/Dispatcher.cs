using System.Diagnostics;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Delivers the messages of one lane to its receivers in round robin, one message per turn. Messages are
/// locked under the queue's lock and sent outside of it.</summary>
internal sealed class Dispatcher(Queue queue, Lane lane, Defects defects) : IThreadPoolWorkItem
{
    // Dispatching on the calling thread saves a thread switch. After this many turns, the thread pool continues.
    private const int TurnsPerCall = 256;

    private readonly QueueContents _contents = queue.Contents;
    private readonly Lock _gate = queue.Gate;
    private readonly LinkedList<QueueReceiver> _waiting = [];
    private readonly HashSet<QueueReceiver> _draining = [];
    private bool _running;
    private bool _stopped;

    /// <summary><c>true</c> if a drain is complete. A draining receiver keeps the remaining messages while it has
    /// credit, because it may only be waiting for buffer space.</summary>
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

    public void Stop()
    {
        lock (_gate)
            _stopped = true;
    }

    /// <summary>Delivers messages until no messages or no receivers remain. Only one dispatch runs at a time, which
    /// keeps each link in order.</summary>
    public void Run() => Run(isStarted: false);

    /// <summary>Runs on the thread pool, for callers that hold a lock.</summary>
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
            // The caller isn't responsible, and on the pool the exception would end the process.
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
            CompleteDrain(receiver);
    }

    private void CompleteDrain(QueueReceiver receiver)
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

    private void EndReceiver(QueueReceiver receiver, Exception error)
    {
        Close(receiver);
        try
        {
            receiver.OnFailed(error);
            defects.Add();
        }
        catch (Exception notifyError)
        {
            defects.Report("notifying a client that its link has failed", new AggregateException(error, notifyError));
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
        _running = HasWork && _contents.ExpireHead(lane, Queue.MaxPerHold) && HasWork;
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
            case DeliveryResult.NotSent:
                _contents.TakeBack(turn.Message, turn.Lock);
                break;
            case DeliveryResult.Failed:
                _contents.FailDelivery(turn.Message, turn.Lock);
                break;
            case DeliveryResult.SentWantsMore or DeliveryResult.SentEnough:
                _contents.EndDelivery(turn.Message, receiver.Mode);
                break;
            case DeliveryResult.Moved:
                break;
            default:
                throw new UnreachableException($"Unexpected delivery result {result}.");
        }
        // A signal during the delivery can be for credit that this turn didn't see.
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

internal enum DeliveryResult
{
    SentWantsMore,

    /// <summary>Sent. The receiver gets no more until it signals.</summary>
    SentEnough,

    /// <summary>Moved to another entity by the broker. The receiver can accept another message.</summary>
    Moved,

    /// <summary>Not sent: the receiver has no credit or is closed. The message returns, and the receiver gets no more
    /// until it signals.</summary>
    NotSent,

    /// <summary>The attempt threw an exception. It counts as a failed delivery, and the receiver is closed.</summary>
    Failed,
}

/// <summary>A client's subscription to the messages of one queue. The dispatcher changes its flags under the queue's
/// lock.</summary>
/// <param name="mode">Specifies whether messages are locked or removed on delivery.</param>
/// <param name="deliver">Sends one message, with its lock in peek-lock mode. Called outside the queue's lock, for one
/// receiver of the queue at a time. Must not block.</param>
/// <param name="onFailed">Called with the exception of <paramref name="deliver"/> after the receiver was
/// closed.</param>
/// <param name="onExhausted">Called after <see cref="SignalDrain"/> when all available messages have been sent.</param>
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

    public LinkedListNode<QueueReceiver> Place => field ??= new(this);

    public bool IsInTurn { get; set; }

    public bool IsSignaled { get; set; }

    public bool IsClosed { get; set; }

    /// <summary><c>true</c> for the broker's own receivers, which don't count as use of the queue.</summary>
    public bool IsOwn { get; init; }

    public bool IsCounted { get; set; }

    public void Signal() => dispatcher.Signal(this, drain: false);

    /// <summary>Requests the available messages without waiting for more (drain).</summary>
    public void SignalDrain() => dispatcher.Signal(this, drain: true);

    /// <summary>Stops deliveries. Locks of delivered messages remain.</summary>
    public void Close() => dispatcher.Close(this);
}
