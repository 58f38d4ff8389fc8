using DroneDelivery.Model.Simulation.Events;
using DroneDelivery.Model.Simulation.Queue;

namespace DroneDelivery.Model.Simulation.Workflow;

/// <summary>
/// One receiver for each Workflow. The broker hands out one message per turn, receivers in rotation, to those that have credit. With a
/// prefetch count the credit of settled messages comes back in lots; without one each handler that waits has granted one. That is what
/// Azure.Messaging.ServiceBus does (docs/internals/design/credit.md).
/// </summary>
internal sealed class Receivers
{
    private const int LargestLot = 100;
    private readonly MessageQueue _queue;
    private readonly Timeline _timeline;
    private readonly ISimulationLog? _log;
    private readonly Action<int, Delivery> _begin;
    private readonly Receiver[] _receivers;
    private readonly Queue<int> _rotation;
    private readonly int _lot;

    /// <param name="count">The most that there will be.</param>
    /// <param name="begin">Has a handler begin with a message.</param>
    public Receivers(
        HandlingSetting setting,
        int count,
        MessageQueue queue,
        Timeline timeline,
        ISimulationLog? log,
        Action<int, Delivery> begin
    )
    {
        (_queue, _timeline, _log, _begin) = (queue, timeline, log, begin);
        _receivers = [.. Enumerable.Range(0, count).Select(_ => new Receiver(setting))];
        _rotation = new(count);
        _lot = Math.Clamp((int)(setting.Prefetch * 2L / 3), 1, LargestLot);
    }

    /// <summary>The most messages that one receiver ever held.</summary>
    public int MostHeld { get; private set; }

    /// <summary>Whether the broker stands still.</summary>
    public bool IsPaused { get; set; }

    public bool IsOpen(int receiver) => _receivers[receiver].IsOpen;

    /// <param name="prefetch">Messages that it may hold; 0: one for each handler that waits.</param>
    public void Open(int receiver, IEnumerable<int> idle, int prefetch)
    {
        (_receivers[receiver].IsOpen, _receivers[receiver].Prefetch) = (true, prefetch);
        Grant(receiver, prefetch);
        foreach (var handler in idle)
            Wait(receiver, handler);
    }

    /// <summary>Receives no more, and returns the messages that no handler has begun with.</summary>
    public void Close(int receiver)
    {
        var it = _receivers[receiver];
        (it.IsOpen, it.Credit, it.Settled) = (false, 0, 0);
        it.Idle.Clear();
        for (; it.Buffer.Count > 0; it.Held--)
            _queue.Release(it.Buffer.Dequeue());
    }

    /// <summary>Its process is gone. What it has stays locked.</summary>
    public void Kill(int receiver)
    {
        var it = _receivers[receiver];
        (it.IsOpen, it.Credit, it.Settled, it.Held) = (false, 0, 0, 0);
        it.Idle.Clear();
        it.Buffer.Clear();
    }

    /// <summary>Hands out messages as long as there are messages and credit.</summary>
    public void Dispatch()
    {
        while (_rotation.Count > 0 && _queue.Active > 0 && !IsPaused)
        {
            var receiver = _rotation.Dequeue();
            var it = _receivers[receiver];
            it.IsInRotation = false;
            if (it.Credit == 0)
                continue;
            var delivery = _queue.Take(_timeline.Now);
            _log?.HandedOut(_timeline.Now, receiver, delivery.Message);
            Deliver(receiver, it, delivery);
            TakeTurn(receiver, it);
        }
    }

    /// <summary>The broker has answered a settlement: the message is held no more.</summary>
    public void Settled(int receiver)
    {
        var it = _receivers[receiver];
        it.Held--;
        if (it.Prefetch == 0 || !it.IsOpen || ++it.Settled < _lot)
            return;
        it.Settled = 0;
        Grant(receiver, _lot);
        Dispatch();
    }

    /// <summary>A handler is free for the next message.</summary>
    public void Next(int receiver, int handler)
    {
        var it = _receivers[receiver];
        if (!it.IsOpen)
            return;
        if (it.Buffer.Count > 0)
            _begin(handler, it.Buffer.Dequeue());
        else
            Wait(receiver, handler);
        Dispatch();
    }

    private void Wait(int receiver, int handler)
    {
        _receivers[receiver].Idle.Enqueue(handler);
        GrantOnDemand(receiver);
    }

    private void Deliver(int receiver, Receiver it, Delivery delivery)
    {
        it.Credit--;
        it.Held++;
        MostHeld = Math.Max(MostHeld, it.Held);
        if (it.Idle.Count > 0)
            _begin(it.Idle.Dequeue(), delivery);
        else
            it.Buffer.Enqueue(delivery);
        GrantOnDemand(receiver);
    }

    private void GrantOnDemand(int receiver)
    {
        var it = _receivers[receiver];
        if (it.Prefetch == 0 && it.Idle.Count > it.Credit)
            Grant(receiver, it.Idle.Count - it.Credit);
    }

    private void Grant(int receiver, int credit)
    {
        var it = _receivers[receiver];
        it.Credit += credit;
        TakeTurn(receiver, it);
    }

    private void TakeTurn(int receiver, Receiver it)
    {
        if (it.Credit == 0 || it.IsInRotation)
            return;
        it.IsInRotation = true;
        _rotation.Enqueue(receiver);
    }

    private sealed class Receiver(HandlingSetting setting)
    {
        public Queue<Delivery> Buffer { get; } = new(setting.Prefetch + 1);

        public Queue<int> Idle { get; } = new(setting.ConcurrentCalls);

        public int Prefetch { get; set; }

        public int Credit { get; set; }

        public int Held { get; set; }

        /// <summary>Of the lot that is not full yet.</summary>
        public int Settled { get; set; }

        public bool IsInRotation { get; set; }

        public bool IsOpen { get; set; }
    }
}
