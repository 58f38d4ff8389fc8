namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Brings the messages of one queue to its receivers, one message per turn, receivers in rotation, so that a receiver with
/// much credit does not starve the others. Messages are chosen and locked under the queue's lock and sent outside of it.</summary>
internal sealed class Dispatcher(QueueContents contents, Lock gate) : IThreadPoolWorkItem
{
    // Whoever brings a message or credit dispatches on its own thread, which saves a thread switch; after so many turns the pool
    // takes over, or a busy queue would keep a connection from reading.
    const int TurnsPerCall = 256;

    readonly LinkedList<QueueReceiver> waiting = [];
    readonly List<QueueReceiver> draining = [];
    bool running;

    bool HasWork => waiting.Count > 0 && contents.NextToDeliver is not null;

    public void Signal(QueueReceiver receiver, bool drain)
    {
        lock (gate)
        {
            if (drain) draining.Add(receiver);
            receiver.IsSignalled = true;
            if (receiver.Place.List is null && !receiver.IsInTurn && !receiver.IsClosed) waiting.AddLast(receiver.Place);
        }
        Run();
    }

    public void Close(QueueReceiver receiver)
    {
        lock (gate)
        {
            receiver.IsClosed = true;
            if (receiver.Place.List is not null) waiting.Remove(receiver.Place);
        }
    }

    /// <summary>Hands out messages as long as there are messages and receivers. A dispatch that is under way needs no second one: it
    /// looks again, under the lock, before it ends. One at a time also keeps messages in order on each link.</summary>
    public void Run()
    {
        if (TryStart()) RunTurns();
    }

    /// <summary>The same on the thread pool, for callers that hold a lock.</summary>
    public void RunLater()
    {
        if (TryStart()) ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    void IThreadPoolWorkItem.Execute() => RunTurns();

    bool TryStart()
    {
        lock (gate) return !running && (running = HasWork || draining.Count > 0);
    }

    void RunTurns()
    {
        Turn turn;
        List<QueueReceiver>? exhausted;
        lock (gate) exhausted = TryBegin(out turn) ? null : TakeDraining();
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
        foreach (var receiver in exhausted) receiver.OnExhausted();
    }

    HandOver Deliver(in Turn turn)
    {
        try
        {
            return turn.Receiver.Deliver(turn.Message, turn.Lock);
        }
        catch (Exception error)
        {
            // Whoever dispatches has nothing to do with it, be it a sender, a timer or the pool: only the receiver's owner is told.
            Close(turn.Receiver);
            turn.Receiver.OnFailed(error);
            return HandOver.Failed;
        }
    }

    bool TryBegin(out Turn turn)
    {
        running = HasWork;
        turn = default;
        if (!running) return false;
        var receiver = waiting.First!.Value;
        waiting.RemoveFirst();
        receiver.IsInTurn = true;
        receiver.IsSignalled = false;
        var message = contents.NextToDeliver!;
        turn = new Turn(receiver, message, contents.BeginDelivery(message, receiver.Mode));
        return true;
    }

    List<QueueReceiver> TakeDraining()
    {
        if (draining.Count == 0) return NoReceivers;
        List<QueueReceiver> taken = [.. draining];
        draining.Clear();
        return taken;
    }

    void End(in Turn turn, HandOver result)
    {
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
            default:
                contents.EndDelivery(turn.Message, receiver.Mode);
                break;
        }
        // A signal that came while the message was under way may be about credit that this turn did not see.
        var wantsMore = result == HandOver.SentWantsMore || receiver.IsSignalled;
        if (wantsMore && !receiver.IsClosed) waiting.AddLast(receiver.Place);
    }

    static readonly List<QueueReceiver> NoReceivers = [];

    readonly record struct Turn(QueueReceiver Receiver, QueuedMessage Message, MessageLock? Lock);
}
