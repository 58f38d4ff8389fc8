using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Model.Planning;

/// <summary>Calculates the limits of a configuration.</summary>
public static class Planner
{
    private const int Steps = 2000,
        Rounds = 100,
        LargestLot = 100,
        Draws = 2000;

    public static Plan Of(Setting setting)
    {
        var incoming = IncomingOf(setting);
        Limit[] limits = [.. LimitsOf(setting, incoming).OrderBy(limit => limit.Rate)];
        var ramp = Ramp.Of(setting);
        var largest = LargestPrefetch(setting, limits[0].Rate);
        var (inTime, lossy) = ramp.LosesLocks ? InTime(setting, limits) : (1, limits[0].Rate);
        IEnumerable<Limit> stores = StoresOf(setting, ramp, lossy * inTime);
        return new()
        {
            Incoming = incoming,
            Limits = limits,
            All = Known([
                new("the load", incoming) { Kind = LimitKind.Load },
                .. limits,
                .. IntakeOf(setting),
                .. stores,
            ]),
            LargestPrefetch = largest,
            SafePrefetch = Math.Floor(Math.Max(setting.Handling.ConcurrentCalls, largest / 2)),
            CollapsePrefetch = CollapsePrefetch(setting, limits, largest),
            LosesLocks = ramp.LosesLocks,
            Collapses = inTime == 0,
            Backlog = ramp.Backlog,
            DrainSeconds = ramp.Backlog / Capacity(setting, incoming: 0),
            CacheFullAfterSeconds = ramp.CacheFullAfter,
            BusiestNode = BusiestNode(setting, incoming, Math.Min(incoming, limits[0].Rate)),
        };
    }

    /// <summary>Removes infinite rates.</summary>
    private static IReadOnlyList<Limit> Known(IEnumerable<Limit> limits) =>
        [.. limits.Where(limit => double.IsFinite(limit.Rate)).OrderBy(limit => limit.Rate)];

    private static IEnumerable<Limit> StoresOf(Setting setting, Ramp ramp, double inTime)
    {
        if (ramp.LosesLocks)
            yield return new("prefetch against lock", inTime) { Kind = LimitKind.Lock };
        if (ramp.CacheFullAfter is not null)
            yield return new("the cache is full", 0) { Kind = LimitKind.Cache };
    }

    /// <summary>Returns the deliveries per second that handlers and nodes can complete.</summary>
    public static double Capacity(Setting setting, double incoming) =>
        LimitsOf(setting, incoming).Min(limit => limit.Rate);

    /// <summary>Returns the deliveries per second that the CPU of all nodes allows, regardless of the placement.</summary>
    public static double RateOfAllNodes(Setting setting) =>
        setting.Nodes.Count * Servers(setting) * 1000 / Services(setting).Sum(service => Mean(service.Cpu));

    /// <summary>Returns all limits at a request rate, the lowest first.</summary>
    public static IReadOnlyList<Limit> LimitsAt(Setting setting, double incoming) =>
        [.. LimitsOf(setting, incoming).Concat(IntakeOf(setting)).OrderBy(limit => limit.Rate)];

    /// <summary>Returns how long the last message of a full buffer waits, less the progress of the handlers.</summary>
    private static double WaitSeconds(Setting setting, double backlog, double capacity)
    {
        var (handling, held) = (setting.Handling, setting.Workflow.Nodes.Count);
        return (Math.Min(held * (double)handling.Prefetch, backlog) - held * handling.ConcurrentCalls / 2.0) / capacity;
    }

    /// <summary>
    /// Returns the share of a credit batch whose messages are handled in time, and the rate of handled messages. Only the messages ahead of
    /// the batch delay its first messages. A handler whose lock has expired tries to dead-letter, which costs a second settlement; if
    /// handlers are the bottleneck, each expired lock thus causes more of them.
    /// </summary>
    private static (double Share, double Handled) InTime(Setting setting, IReadOnlyList<Limit> limits)
    {
        var (prefetch, seconds) = (setting.Handling.Prefetch, ServiceSeconds(setting));
        var lot = Math.Max(1, Math.Min(LargestLot, prefetch * 2 / 3));
        var again = setting.Handling.FailuresDeadLetter ? (setting.Workflow.Latency?.Mean ?? 0) / 1000 : 0;
        var share = 1.0;
        for (var round = 0; round < Rounds; round++)
            share = Math.Clamp((LargestPrefetch(setting, Handled(share)) + lot - prefetch) / lot, 0, 1);
        return (share, Handled(share));

        double Handled(double share) =>
            limits.Min(limit =>
                limit.Kind == LimitKind.Cpu ? limit.Rate : limit.Rate * seconds / (seconds + (1 - share) * again)
            );
    }

    /// <summary>
    /// Returns the largest prefetch count with which a part of each credit batch is in time: less than one batch above
    /// <paramref name="largest"/>.
    /// </summary>
    private static double CollapsePrefetch(Setting setting, IReadOnlyList<Limit> limits, double largest)
    {
        var (some, none) = (0, LargestLot + 1);
        while (none - some > 1)
        {
            var more = (some + none) / 2;
            var prefetch = (int)(largest + more);
            var share = InTime(setting with { Handling = setting.Handling with { Prefetch = prefetch } }, limits).Share;
            (some, none) = share > 0 ? (more, none) : (some, more);
        }
        return Math.Floor(largest) + some;
    }

    private static double IncomingOf(Setting setting) => setting.Users.Most * 1000 / setting.Users.EveryMilliseconds;

    /// <summary>Returns the latencies of a message and its own CPU time; the back ends' CPU time is part of their latency.</summary>
    private static double ServiceSeconds(Setting setting) =>
        (
            Mean(setting.Workflow.Cpu)
            + Mean(setting.Workflow.Latency)
            + setting.Steps.Sum(step => LongestOf([.. step.Select(backend => setting.Backends[backend])]))
        ) / 1000;

    private static double Mean(Times? times) => times?.Mean ?? 0;

    /// <summary>Returns the mean of the longest concurrent call, which exceeds each call's mean.</summary>
    private static double LongestOf(IReadOnlyList<ServiceSetting> step)
    {
        if (step is [var only])
            return Math.Max(Mean(only.Cpu), Mean(only.Latency));
        var random = new RandomSource(1);
        return Enumerable
            .Range(0, Draws)
            .Average(_ => step.Max(service => Math.Max(Next(service.Cpu), Next(service.Latency))));

        double Next(Times? times) => times is null ? 0 : random.Next(times);
    }

    private static IEnumerable<Limit> LimitsOf(Setting setting, double incoming) =>
        CpuOf(setting, incoming).Prepend(HandlersOf(setting));

    private static Limit HandlersOf(Setting setting)
    {
        var (handling, workflows) = (setting.Handling, setting.Workflow.Nodes.Count);
        var isShort = handling.Prefetch > 0 && handling.Prefetch < handling.ConcurrentCalls;
        var concurrency = isShort ? handling.Prefetch : handling.ConcurrentCalls;
        var rate = workflows == 0 ? 0 : workflows * concurrency / ServiceSeconds(setting);
        return new($"handlers: {workflows} × {concurrency}", rate)
        {
            Kind = isShort ? LimitKind.Prefetch : LimitKind.Calls,
            Service = setting.Workflow.Name,
        };
    }

    private static IEnumerable<Limit> CpuOf(Setting setting, double incoming)
    {
        var servers = Servers(setting);
        for (var node = 0; node < setting.Nodes.Count; node++)
        {
            double[] work = [.. Services(setting).Select(service => CpuOn(node, service))];
            // The first is Ingestion's, also spent on deliveries that aren't completed.
            var perDelivery = work.Skip(1).Sum();
            if (perDelivery > 0)
            {
                yield return new($"CPU of node {node}", Math.Max(0, servers - incoming * work[0]) / perDelivery)
                {
                    Kind = LimitKind.Cpu,
                    Node = node,
                    Service = Services(setting).MaxBy(service => CpuOn(node, service))!.Name,
                    Work = [.. work.Select(seconds => seconds * 1000)],
                };
            }
        }
    }

    private static IEnumerable<Limit> IntakeOf(Setting setting)
    {
        for (var node = 0; node < setting.Nodes.Count; node++)
        {
            if (CpuOn(node, setting.Ingestion) is > 0 and var perRequest)
            {
                yield return new($"CPU of node {node} for requests", Servers(setting) / perRequest)
                {
                    Kind = LimitKind.Intake,
                    Node = node,
                    Service = setting.Ingestion.Name,
                    Work = [perRequest * 1000],
                };
            }
        }
    }

    private static double BusiestNode(Setting setting, double incoming, double rate) =>
        Enumerable
            .Range(0, setting.Nodes.Count)
            .Max(node =>
            {
                var deliveries = Services(setting).Skip(1).Sum(service => CpuOn(node, service));
                var busy =
                    setting.Nodes.VCpu
                    - Servers(setting)
                    + incoming * CpuOn(node, setting.Ingestion)
                    + rate * deliveries;
                return Math.Min(1, busy / setting.Nodes.VCpu);
            });

    private static IEnumerable<ServiceSetting> Services(Setting setting) =>
        [setting.Ingestion, setting.Workflow, .. setting.Backends];

    private static double Servers(Setting setting) =>
        setting.Nodes.VCpu - setting.Nodes.SystemJobMilliseconds / setting.Nodes.SystemEveryMilliseconds;

    private static double CpuOn(int node, ServiceSetting service) =>
        service.Nodes.Count == 0
            ? 0
            : Mean(service.Cpu) / 1000 * service.Nodes.Count(other => other == node) / service.Nodes.Count;

    private static double LargestPrefetch(Setting setting, double capacity) =>
        setting.Queue.LockSeconds * capacity / Math.Max(1, setting.Workflow.Nodes.Count)
        + setting.Handling.ConcurrentCalls / 2.0;

    /// <summary>Simulates the growth of the backlog in steps.</summary>
    private sealed record Ramp(double Backlog, bool LosesLocks, double? CacheFullAfter)
    {
        public static Ramp Of(Setting setting)
        {
            var users = setting.Users;
            var width = users.DurationSeconds / Steps;
            var (backlog, completed) = ((double)setting.Queue.MessagesAtStart, 0.0);
            var losesLocks = false;
            double? full = null;
            var capacities = new Dictionary<double, double>();
            for (var step = 0; step < Steps; step++)
            {
                var at = step * width;
                var active = Math.Min(users.Most, users.Start + users.Step * Math.Floor(at / users.StepSeconds));
                var incoming = active * 1000 / users.EveryMilliseconds;
                if (!capacities.TryGetValue(incoming, out var capacity))
                    capacities[incoming] = capacity = Capacity(setting, incoming);
                losesLocks |=
                    WaitSeconds(setting, backlog, capacity) > setting.Queue.LockSeconds
                    && at < users.DurationSeconds - setting.Queue.LockSeconds;
                var done = Math.Min(backlog + incoming * width, capacity * width);
                completed += done;
                if (completed > setting.CacheFits)
                    full ??= at;
                backlog = Math.Max(0, backlog + incoming * width - done);
            }

            return new(backlog, losesLocks, full);
        }
    }
}
