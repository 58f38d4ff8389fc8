namespace DroneDelivery.Simulation.Planning;

/// <summary>What limits the rate of completed deliveries.</summary>
/// <param name="What">In words.</param>
/// <param name="Rate">Deliveries per second that it allows.</param>
public sealed record Limit(string What, double Rate);

/// <summary>What arithmetic says about a setting, without a simulation. Rates are per second.</summary>
public sealed record Plan
{
    /// <summary>Requests once all users are active, if answers come at once.</summary>
    public required double Incoming { get; init; }

    /// <summary>The tightest first: it binds.</summary>
    public required IReadOnlyList<Limit> Limits { get; init; }

    /// <summary>Deliveries completed once all users are active and messages wait.</summary>
    public double Rate => Math.Min(Incoming, Limits[0].Rate);

    /// <summary>Seconds of one message in a handler, if nobody waits for a CPU.</summary>
    public required double ServiceSeconds { get; init; }

    /// <summary>The largest prefetch count with which a full buffer loses no lock.</summary>
    public required double LargestPrefetch { get; init; }

    /// <summary>Half of it, and a message for each handler at least.</summary>
    public required int SafePrefetch { get; init; }

    /// <summary>Whether locks are lost: enough messages wait for long enough, and the buffers take more than the largest count.</summary>
    public required bool LosesLocks { get; init; }

    /// <summary>Whether nothing is completed any more once locks are lost.</summary>
    public required bool Collapses { get; init; }

    /// <summary>Messages that are not settled when the load ends, as long as no lock is lost.</summary>
    public required double Backlog { get; init; }

    /// <summary>Seconds until they are.</summary>
    public required double DrainSeconds { get; init; }
}

/// <summary>Formulas for the limits of a setting.</summary>
public static class Planner
{
    private const int Steps = 2000, LargestLot = 100;

    public static Plan Of(Setting setting)
    {
        var incoming = setting.Users.Most * 1000 / setting.Users.EveryMilliseconds;
        Limit[] limits = [.. LimitsOf(setting, incoming).OrderBy(limit => limit.Rate)];
        var (backlog, losesLocks) = Ramp(setting);
        var largest = LargestPrefetch(setting, limits[0].Rate);
        var handling = setting.Handling;
        return new()
        {
            Incoming = incoming,
            Limits = limits,
            ServiceSeconds = ServiceSeconds(setting),
            LargestPrefetch = largest,
            SafePrefetch = (int)Math.Max(handling.ConcurrentCalls, largest / 2),
            LosesLocks = losesLocks,
            Collapses = losesLocks && handling.Prefetch > largest + Math.Min(LargestLot, handling.Prefetch * 2 / 3),
            Backlog = backlog,
            DrainSeconds = backlog / Capacity(setting, incoming: 0),
        };
    }

    /// <summary>All latencies of a message and its own CPU time. That of the back ends is hidden behind their latency.</summary>
    private static double ServiceSeconds(Setting setting) =>
        (setting.Workflow.CpuMilliseconds + (setting.Workflow.Latency?.Mean ?? 0)
            + setting.Backends.Sum(backend => Math.Max(backend.CpuMilliseconds, backend.Latency?.Mean ?? 0))) / 1000;

    private static double Capacity(Setting setting, double incoming) => LimitsOf(setting, incoming).Min(limit => limit.Rate);

    private static IEnumerable<Limit> LimitsOf(Setting setting, double incoming)
    {
        var (handling, workflows) = (setting.Handling, setting.Workflow.Nodes.Count);
        var atATime = handling.Prefetch > 0 ? Math.Min(handling.ConcurrentCalls, handling.Prefetch) : handling.ConcurrentCalls;
        yield return new($"handlers: {workflows} × {atATime}", workflows * atATime / ServiceSeconds(setting));
        var servers = setting.Nodes.VCpu - setting.Nodes.SystemJobMilliseconds / setting.Nodes.SystemEveryMilliseconds;
        for (var node = 0; node < setting.Nodes.Count; node++)
        {
            var perDelivery = CpuOn(node, setting.Workflow) + setting.Backends.Sum(backend => CpuOn(node, backend));
            if (perDelivery > 0)
                yield return new($"CPU of node {node}", Math.Max(0, servers - incoming * CpuOn(node, setting.Ingestion)) / perDelivery);
        }
    }

    /// <summary>Seconds of CPU that a node gives to each delivery for a service.</summary>
    private static double CpuOn(int node, ServiceSetting service) =>
        service.Nodes.Count == 0 ? 0 : service.CpuMilliseconds / 1000 * service.Nodes.Count(it => it == node) / service.Nodes.Count;

    /// <summary>A message at the end of a full buffer waits for all before it, less what the handlers have in hand.</summary>
    private static double LargestPrefetch(Setting setting, double capacity) =>
        setting.Queue.LockSeconds * capacity / Math.Max(1, setting.Workflow.Nodes.Count) + setting.Handling.ConcurrentCalls / 2.0;

    /// <summary>Steps through the load: the backlog grows by what comes in and is not completed.</summary>
    private static (double Backlog, bool LosesLocks) Ramp(Setting setting)
    {
        var (users, handling, held) = (setting.Users, setting.Handling, setting.Workflow.Nodes.Count);
        var width = users.DurationSeconds / Steps;
        var backlog = (double)setting.Queue.MessagesAtStart;
        var losesLocks = false;
        for (var step = 0; step < Steps; step++)
        {
            var at = step * width;
            var active = Math.Min(users.Most, users.Start + users.Step * Math.Floor(at / users.StepSeconds));
            var incoming = active * 1000 / users.EveryMilliseconds;
            var capacity = Capacity(setting, incoming);
            var waits = (Math.Min(held * (double)handling.Prefetch, backlog) - held * handling.ConcurrentCalls / 2.0) / capacity;
            losesLocks |= waits > setting.Queue.LockSeconds && at < users.DurationSeconds - setting.Queue.LockSeconds;
            backlog = Math.Max(0, backlog + (incoming - capacity) * width);
        }

        return (backlog, losesLocks);
    }
}
