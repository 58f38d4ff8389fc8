namespace DroneDelivery.Model.Simulation;

/// <summary>The input of a simulation, in seconds and milliseconds of the simulated application.</summary>
public sealed record Setting
{
    public required UsersSetting Users { get; init; }

    public required NodeSetting Nodes { get; init; }

    public required ServiceSetting Ingestion { get; init; }

    public required QueueSetting Queue { get; init; }

    public required HandlingSetting Handling { get; init; }

    public CallSetting Calls { get; init; } = new();

    /// <summary>The receivers. Their CPU time is per message; their latency is the broker's response time for a settlement.</summary>
    public required ServiceSetting Workflow { get; init; }

    /// <summary>The services that Workflow calls. The last one uses the cache.</summary>
    public required IReadOnlyList<ServiceSetting> Backends { get; init; }

    /// <summary>
    /// The steps of a message: indices of <see cref="Backends"/> to call concurrently. By default, each back end is a step of its own.
    /// </summary>
    public IReadOnlyList<IReadOnlyList<int>> Steps
    {
        get => field ?? [.. Backends.Select((_, i) => (IReadOnlyList<int>)[i])];
        init;
    }

    /// <summary>The capacity of the cache, in deliveries; <c>null</c> if unlimited.</summary>
    public long? CacheFits { get; init; }

    /// <summary>The time from the first request until Workflow starts to receive.</summary>
    public double WorkflowStartsAfterSeconds { get; init; }

    /// <summary>The duration of the observation after the last request.</summary>
    public double ObserveSeconds { get; init; }

    public bool UntilEmpty { get; init; }

    public double SampleSeconds { get; init; } = 0.25;

    public IReadOnlyList<Fault> Faults { get; init; } = [];
}

/// <summary>The users. Each one sends requests at an interval, and waits for each response.</summary>
/// <param name="Most">The number of users after the last step.</param>
/// <param name="Jitter">The relative jitter of the interval, uniformly distributed.</param>
/// <param name="Open">Whether users send on schedule even if responses are late.</param>
/// <param name="Random">Whether the interval is exponentially distributed instead.</param>
public sealed record UsersSetting(
    int Start,
    int Step,
    double StepSeconds,
    int Most,
    double DurationSeconds,
    double EveryMilliseconds,
    double Jitter,
    bool Open = false,
    bool Random = false
)
{
    /// <summary>Returns when a user (from 0) starts, in seconds.</summary>
    public double StartOf(int user) => user < Start ? 0 : ((user - Start) / Step + 1) * StepSeconds;
}

public sealed record QueueSetting(double LockSeconds, int MaxDeliveryCount, int MessagesAtStart = 0);

/// <summary>How one Workflow receives and settles.</summary>
/// <param name="Prefetch">0 for one message per idle handler.</param>
/// <param name="RenewalSeconds">The maximum duration of lock renewal.</param>
/// <param name="FailuresDeadLetter">Whether a failed message is dead-lettered immediately instead of abandoned.</param>
/// <param name="AbandonDelaySeconds">Doubles with each delivery.</param>
/// <param name="HoldsDuringOutage">Whether it stops receiving and releases its messages while a circuit is open.</param>
/// <param name="RetrySeconds">The delay of the copy of a message that failed or was in progress when a circuit opened.</param>
public sealed record HandlingSetting(
    int ConcurrentCalls,
    int Prefetch,
    double RenewalSeconds = 300,
    bool FailuresDeadLetter = true,
    double AbandonDelaySeconds = 1,
    bool HoldsDuringOutage = false,
    bool RetriesFailures = false,
    double RetrySeconds = 1
);

/// <summary>The resilience of calls to back ends.</summary>
public sealed record CallSetting
{
    /// <summary>Delays before the retries of a failed call.</summary>
    public IReadOnlyList<double> RetrySeconds { get; init; } = [];

    public double RetryJitter { get; init; }

    public double AttemptTimeoutSeconds { get; init; } = 10;

    /// <summary>The total timeout: later retries are skipped.</summary>
    public double TotalTimeoutSeconds { get; init; } = 30;

    /// <summary>0 for no circuit breaker.</summary>
    public double BreakerRatio { get; init; }

    public int BreakerMinimum { get; init; } = 2;

    public double BreakerWindowSeconds { get; init; } = 5;

    public double BreakerBreakSeconds { get; init; } = 5;
}

/// <summary>A service and the placement of its replicas.</summary>
/// <param name="Nodes">The node, from 0, of each replica.</param>
/// <param name="Cpu">The CPU time of a request or message, if any.</param>
/// <param name="Latency">The response time, including the wait for the node; <c>null</c> to respond when the node has done its
/// work.</param>
public sealed record ServiceSetting(IReadOnlyList<int> Nodes, Times? Cpu = null, Times? Latency = null)
{
    public string Name { get; init; } = "";
}

/// <param name="VCpu">The number of requests or messages that a node processes in parallel.</param>
/// <param name="SystemJobMilliseconds">The CPU time of the system's periodic job, if any.</param>
public sealed record NodeSetting(
    int Count,
    int VCpu,
    double SystemJobMilliseconds = 0,
    double SystemEveryMilliseconds = 100
);
