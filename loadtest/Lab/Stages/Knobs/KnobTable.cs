using DroneDelivery.Contracts;

namespace DroneDelivery.Lab.Stages;

/// <summary>All settings. Stage files, <c>--set</c> and the report use these names.</summary>
internal static class KnobTable
{
    public static IReadOnlyList<Knob> All { get; } =
    [
        new("ingestion.replicas", KnobUnit.Count, 1, 20, "processes of Ingestion", "lab", Default: 1),
        new(
            "workflow.replicas",
            KnobUnit.Count,
            0,
            20,
            "processes of Workflow; 0 lets the queue fill",
            "lab",
            Default: 1
        ),
        new("package.replicas", KnobUnit.Count, 1, 20, "processes of Package", "lab", Default: 1),
        new("dronescheduler.replicas", KnobUnit.Count, 1, 20, "processes of DroneScheduler", "lab", Default: 1),
        new("delivery.replicas", KnobUnit.Count, 1, 20, "processes of Delivery", "lab", Default: 1),
        new("nodes.count", KnobUnit.Count, 1, 100, "number of virtual nodes; replaces the environment's", "lab"),
        new(
            "nodes.vCpu",
            KnobUnit.Count,
            1,
            100,
            "requests or messages that one node processes at a time; replaces the environment's",
            "lab"
        ),
        new(
            "nodes.placement",
            KnobUnit.Word,
            0,
            0,
            "how replicas are placed on nodes: round robin, or like the default Kubernetes scheduler",
            "lab"
        )
        {
            Words = ["RoundRobin", "Kubernetes"],
        },
        new(
            "nodes.cpuCost",
            KnobUnit.Ratio,
            0,
            100,
            "factor for the CPU time of every request and message; 0 disables the CPU emulation",
            "lab",
            Default: 1
        ),
        new(
            "workflow.maxConcurrentCalls",
            KnobUnit.Count,
            1,
            1000,
            "concurrent messages of one Workflow",
            "workflow",
            "Workflow:MaxConcurrentCalls",
            Default: 20
        ),
        new(
            "workflow.prefetchCount",
            KnobUnit.Count,
            0,
            10_000,
            "messages that one Workflow can hold, in its buffer and its handlers; 0 disables prefetching",
            "workflow",
            "Workflow:PrefetchCount",
            Scales: true,
            Default: 100
        ),
        new(
            "workflow.maxAutoLockRenewalDuration",
            KnobUnit.Seconds,
            0,
            3600,
            "how long a running handler's lock is renewed; 0 disables renewal",
            "workflow",
            "Workflow:MaxAutoLockRenewalDuration",
            Scales: true,
            Default: 300
        ),
        new(
            "workflow.retryFor",
            KnobUnit.Seconds,
            0,
            1_209_600,
            "how long Workflow retries a failed message; 0 dead-letters it immediately",
            "workflow",
            "Workflow:RetryFor",
            Scales: true,
            Default: 86_400
        ),
        new(
            "workflow.retryDelay",
            KnobUnit.Seconds,
            0.001,
            300,
            "delay before the first retry of a failed message; doubles each time",
            "workflow",
            "Workflow:RetryDelay",
            Scales: true,
            Default: 1
        ),
        new(
            "workflow.holdDuringOutage",
            KnobUnit.Word,
            0,
            0,
            "whether Workflow stops receiving while a service that it calls is unavailable",
            "workflow",
            "Workflow:HoldDuringOutage"
        )
        {
            Words = ["on", "off"],
        },
        new(
            "workflow.supervisor",
            KnobUnit.Word,
            0,
            0,
            "whether Workflow compensates the requests of dead letters and removes them from the dead-letter queue",
            "workflow",
            "Workflow:Supervisor:Enabled"
        )
        {
            Words = ["on", "off"],
        },
        new(
            "queue.lockDuration",
            KnobUnit.Seconds,
            1,
            300,
            "how long a received message is locked",
            "broker",
            Scales: true,
            Default: 60
        ),
        new(
            "queue.maxDeliveryCount",
            KnobUnit.Count,
            1,
            2000,
            "deliveries of one message before it is dead-lettered",
            "broker",
            Default: 10
        ),
        new(
            "queue.messagesAtStart",
            KnobUnit.Count,
            0,
            100_000,
            "messages in the queue when the load starts; replaces the stage's",
            "lab",
            Scales: true
        ),
        new(
            "redis.deliveriesThatFit",
            KnobUnit.Count,
            0,
            1e6,
            "memory of Redis, counted in deliveries with load.instructions=17000; replaces redis.maxMemory; 0 for no such limit",
            "lab",
            Scales: true,
            Default: 0
        ),
        new(
            "redis.maxMemory",
            KnobUnit.Bytes,
            0,
            1e12,
            "maxmemory of Redis (policy noeviction); 0 for no limit",
            "redis",
            Scales: true
        ),
        new(
            "redis.keyTimeToLive",
            KnobUnit.Seconds,
            0,
            31_536_000,
            "how long a delivery is stored after its landing or last change; 0 for no expiry, as in the original",
            "delivery",
            "Redis:KeyTimeToLive",
            Scales: true
        ),
        new(
            "redis.operationTimeout",
            KnobUnit.Seconds,
            0.01,
            60,
            "how long Delivery waits for Redis",
            "delivery",
            "Redis:OperationTimeout",
            Default: 2
        ),
        new(
            "telemetry.redis",
            KnobUnit.Word,
            0,
            0,
            "whether Delivery's calls to Redis are in the telemetry",
            "delivery",
            "Telemetry:TrackRedis"
        )
        {
            Words = ["on", "off"],
        },
        new(
            "http.retryDelays",
            KnobUnit.SecondsList,
            0,
            300,
            "delays before the retries of a failed call, regardless of Retry-After; empty for no retries",
            "workflow",
            "Resilience:RetryDelays",
            Scales: true
        )
        {
            DefaultList = [0.2, 2, 6],
        },
        new(
            "http.retryJitter",
            KnobUnit.Ratio,
            0,
            1,
            "relative jitter of a retry delay",
            "workflow",
            "Resilience:RetryJitter",
            Default: 0.5
        ),
        new(
            "http.attemptTimeout",
            KnobUnit.Seconds,
            0.01,
            300,
            "timeout of one attempt",
            "workflow",
            "Resilience:AttemptTimeout",
            Default: 10
        ),
        new(
            "http.concurrencyLimit",
            KnobUnit.Count,
            1,
            10_000,
            "concurrent calls to one service",
            "workflow",
            "Resilience:ConcurrencyLimit",
            Default: 100
        ),
        new(
            "http.concurrencyQueue",
            KnobUnit.Count,
            0,
            10_000,
            "calls that can wait for the concurrency limit",
            "workflow",
            "Resilience:ConcurrencyQueue"
        ),
        new(
            "http.breakerFailureRatio",
            KnobUnit.Ratio,
            0,
            1,
            "failure ratio that opens the circuit; 0 disables the circuit breaker",
            "workflow",
            "Resilience:BreakerFailureRatio",
            Default: 0.75
        ),
        new(
            "http.breakerMinimumThroughput",
            KnobUnit.Count,
            2,
            10_000,
            "minimum calls in the window before the circuit can open",
            "workflow",
            "Resilience:BreakerMinimumThroughput",
            Default: 4
        ),
        new(
            "http.breakerSamplingDuration",
            KnobUnit.Seconds,
            0.5,
            300,
            "window of the circuit breaker",
            "workflow",
            "Resilience:BreakerSamplingDuration",
            Scales: true,
            Default: 5
        ),
        new(
            "http.breakerBreakDuration",
            KnobUnit.Seconds,
            0.5,
            300,
            "how long an open circuit stays open",
            "workflow",
            "Resilience:BreakerBreakDuration",
            Scales: true,
            Default: 5
        ),
        new("load.maxUsers", KnobUnit.Count, 1, 1000, "users at the end of the ramp; replaces the profile's", "load"),
        new(
            "load.duration",
            KnobUnit.Seconds,
            1,
            7200,
            "length of the load; replaces the profile's",
            "load",
            Scales: true
        ),
        new(
            "load.instructions",
            KnobUnit.Count,
            0,
            DeliveryRequest.MaxInstructionsLength,
            "characters of instructions in each request, which make its delivery in Redis larger",
            "load"
        ),
    ];

    /// <summary>Returns a setting by name, ignoring case, or by an unambiguous prefix (<c>workflow.prefetch</c>).</summary>
    public static Knob Find(string name)
    {
        var matches = All.Where(knob => knob.Name.StartsWith(name, StringComparison.OrdinalIgnoreCase)).ToList();
        return matches.Find(knob => knob.Name.Equals(name, StringComparison.OrdinalIgnoreCase))
            ?? (matches.Count == 1 && name.Contains('.', StringComparison.Ordinal) ? matches[0] : throw Unknown(name));
    }

    private static BadInputException Unknown(string name) =>
        new(
            $"{name} is not a knob. "
                + Nearest.Hint(name, All.Select(knob => knob.Name), "`./lab run --help` lists the knobs.")
        );
}
