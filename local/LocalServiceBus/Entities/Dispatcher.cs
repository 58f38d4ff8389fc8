using System.Diagnostics;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Brings the messages of one lane to its receivers, one message per turn, receivers in rotation, so that a receiver with
/// much credit does not starve the others. Messages are chosen and locked under the queue's lock and sent outside of it.</summary>
/// <param name="onDefect">Told, outside of the lock, what no receiver is to blame for: the queue has failed, and this
/// dispatcher does no more.</param>
internal sealed class Dispatcher(
    QueueContents contents,
    Lane lane,
    Lock gate,
    Defects defects,
    Action<Exception> onDefect
) : IThreadPoolWorkItem
{
    // Whoever brings a message or credit dispatches on its own thread, which saves a thread switch; after so many turns the pool
    // takes over, or a busy queue would keep a connection from reading.
    private const int TurnsPerCall = 256;

    private readonly LinkedList<QueueReceiver> _waiting = [];
    private readonly HashSet<QueueReceiver> _draining = [];
    private bool _running;
    private bool _stopped;

    /// <summary>What a draining receiver waits for. Messages that are left are its own as long as it has credit: it may lack
    /// room to write.</summary>
    private bool IsExhausted => _draining.Count > 0 && contents.NextIn(lane) is null;

    private bool HasWork => !_stopped && _waiting.Count > 0 && contents.NextIn(lane) is not null;

    public void Signal(QueueReceiver receiver, bool drain)
    {
        lock (gate)
        {
            if (drain && !receiver.IsClosed)
                _draining.Add(receiver);
            contents.Count(receiver);
            receiver.IsSignaled = true;
            if (receiver.Place.List is null && !receiver.IsInTurn && !receiver.IsClosed)
                _waiting.AddLast(receiver.Place);
        }
        Run();
    }

    public void Close(QueueReceiver receiver)
    {
        lock (gate)
        {
            receiver.IsClosed = true;
            contents.CountNoMore(receiver);
            _draining.Remove(receiver);
            if (receiver.Place.List is not null)
                _waiting.Remove(receiver.Place);
        }
    }

    /// <summary>For good: no further turn begins.</summary>
    public void Stop()
    {
        lock (gate)
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
            onDefect(error);
        }
    }

    private bool TryStart()
    {
        lock (gate)
            return !_running && !_stopped && (_running = HasWork || IsExhausted);
    }

    private void RunTurns()
    {
        Turn turn;
        List<QueueReceiver>? exhausted;
        lock (gate)
            exhausted = TryBegin(out turn) ? null : TakeDraining();
        for (var turns = 1; exhausted is null; turns++)
        {
            var result = Deliver(turn);
            lock (gate)
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

    private HandOver Deliver(in Turn turn)
    {
        try
        {
            return turn.Receiver.Deliver(turn.Message, turn.Lock);
        }
        catch (Exception error)
        {
            EndReceiver(turn.Receiver, error);
            return HandOver.Failed;
        }
    }

    private bool TryBegin(out Turn turn)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        turn = default;
        _running = HasWork && contents.ExpireHead(lane, Queue.MostPerHold) && HasWork;
        if (!_running)
            return false;
        var receiver = _waiting.First!.Value;
        _waiting.RemoveFirst();
        receiver.IsInTurn = true;
        receiver.IsSignaled = false;
        var message = contents.NextIn(lane)!;
        turn = new Turn(receiver, message, contents.BeginDelivery(message, receiver.Mode));
        return true;
    }

    private List<QueueReceiver> TakeDraining()
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        if (!IsExhausted)
            return NoReceivers;
        List<QueueReceiver> taken = [.. _draining];
        _draining.Clear();
        return taken;
    }

    private void End(in Turn turn, HandOver result)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        var receiver = turn.Receiver;
        receiver.IsInTurn = false;
        switch (result)
        {
            case HandOver.Refused:
                contents.TakeBack(turn.Message, turn.Lock);
                break;
            case HandOver.Failed:
                contents.FailDelivery(turn.Message, turn.Lock);
                break;
            case HandOver.SentWantsMore or HandOver.SentEnough:
                contents.EndDelivery(turn.Message, receiver.Mode);
                break;
            case HandOver.Moved:
                break; // it is not here any more
            default:
                throw new UnreachableException($"A hand-over that is {result}.");
        }
        // A signal that came while the message was under way may be about credit that this turn did not see.
        var wantsMore = result is HandOver.SentWantsMore or HandOver.Moved || receiver.IsSignaled;
        if (wantsMore && !receiver.IsClosed)
            _waiting.AddLast(receiver.Place);
    }

    private static readonly List<QueueReceiver> NoReceivers = [];

    private readonly record struct Turn(QueueReceiver Receiver, QueuedMessage Message, MessageLock? Lock);
}
