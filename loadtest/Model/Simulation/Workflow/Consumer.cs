using DroneDelivery.Model.Figures;
using DroneDelivery.Model.Simulation.Calls;
using DroneDelivery.Model.Simulation.Events;
using DroneDelivery.Model.Simulation.Queue;

namespace DroneDelivery.Model.Simulation.Workflow;

/// <summary>A queue and its competing receivers.</summary>
internal sealed class Consumer
{
    private readonly Timeline _timeline;
    private readonly ISimulationLog? _log;
    private readonly List<Sample> _samples = [];

    public Consumer(World world)
    {
        (_timeline, _log) = (world.Timeline, world.Log);
        var setting = world.Setting;
        Locks = new(Time.FromSeconds(setting.Queue.LockSeconds));
        Queue = new(setting.Queue, Locks);
        Cache = new(setting.CacheFits);
        Backends = new(setting, world.Cluster, Cache, world.Random);
        Handlers = new(world, Backends, Queue);
    }

    public LockEnds Locks { get; }

    public MessageQueue Queue { get; }

    public Cache Cache { get; }

    public Backends Backends { get; }

    public Handlers Handlers { get; }

    public IReadOnlyList<Sample> Samples => _samples;

    public void Arrive(long acceptedAt)
    {
        var message = Queue.Arrive(acceptedAt);
        _log?.Arrived(_timeline.Now, message);
        Handlers.Receivers.Dispatch();
    }

    /// <summary>Expires the earliest lock.</summary>
    public void EndLock()
    {
        var (at, message, token) = Locks.Take();
        _timeline.Advance(at);
        EndLock(new(message, token));
    }

    public void EndLock(Delivery delivery)
    {
        if (!Queue.IsLocked(delivery))
            return;
        if (Handlers.LockEnd(delivery.Message) is var end && end > _timeline.Now)
        {
            _timeline.Plan(end, EventKind.LockEnd, delivery.Message, delivery.Token);
            return;
        }

        _log?.LockEnded(_timeline.Now, delivery.Message);
        Queue.Expire(delivery.Message);
        Handlers.Receivers.Dispatch();
    }

    public void Read(IReadOnlyList<double> nodesBusy) =>
        _samples.Add(
            new(Time.Seconds(_timeline.Now), Count(), Cache.Failures + Backends.Errors, Cache.Failures)
            {
                NodesBusy = nodesBusy,
            }
        );

    private QueueCounters Count()
    {
        var counters = Queue.Counters;
        return QueueCounters.Zero with
        {
            Incoming = counters.Incoming,
            Outgoing = counters.Outgoing,
            Redelivered = counters.Redelivered,
            Completed = counters.Completed,
            Abandoned = counters.Abandoned,
            DeadLettered = counters.DeadLettered,
            LockLost =
                counters.LateCompletes + counters.LateDeadLetters + counters.LateAbandons + counters.LateRenewals,
            LateCompletes = counters.LateCompletes,
            LateDeadLetters = counters.LateDeadLetters,
            ExpiredLocks = counters.ExpiredLocks,
            Active = Queue.Active,
            Locked = Queue.Locked,
            DeadLetter = counters.DeadLettered,
            Links = [new(Credit: 0, Unsettled: 0, Handlers.Receivers.MaxHeld)],
        };
    }
}
