using DroneDelivery.Model.Simulation.Events;
using DroneDelivery.Model.Simulation.Queue;

namespace DroneDelivery.Model.Simulation.Workflow;

/// <summary>
/// One receiver per Workflow. The broker delivers one message per turn, round robin, to receivers with credit. With prefetch, the credit of
/// settled messages is returned in batches; otherwise, each idle handler grants one credit, as in Azure.Messaging.ServiceBus
/// (docs/internals/design/credit.md).
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

    public int MaxHeld { get; private set; }

    public bool IsPaused { get; set; }

    public bool IsOpen(int receiver) => _receivers[receiver].IsOpen;

    public void Open(int receiver, IEnumerable<int> idle, int prefetch)
    {
        (_receivers[receiver].IsOpen, _receivers[receiver].Prefetch) = (true, prefetch);
        Grant(receiver, prefetch);
        foreach (var handler in idle)
            Wait(receiver, handler);
    }

    /// <summary>Stops receiving and returns the messages that no handler has started.</summary>
    public void Close(int receiver)
    {
        var it = _receivers[receiver];
        (it.IsOpen, it.Credit, it.Settled) = (false, 0, 0);
        it.Idle.Clear();
        for (; it.Buffer.Count > 0; it.Held--)
            _queue.Release(it.Buffer.Dequeue());
    }

    /// <summary>Ends the receiver's process. Its messages stay locked.</summary>
    public void Kill(int receiver)
    {
        var it = _receivers[receiver];
        (it.IsOpen, it.Credit, it.Settled, it.Held) = (false, 0, 0, 0);
        it.Idle.Clear();
        it.Buffer.Clear();
    }

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
        MaxHeld = Math.Max(MaxHeld, it.Held);
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

        /// <summary>Settled messages of the current credit batch.</summary>
        public int Settled { get; set; }

        public bool IsInRotation { get; set; }

        public bool IsOpen { get; set; }
    }
}
