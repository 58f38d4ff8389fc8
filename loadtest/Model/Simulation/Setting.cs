namespace DroneDelivery.Model.Simulation;

/// <summary>
/// Everything that a simulation has to know: a queue, the service whose replicas compete for its messages, what they call, and who sends.
/// Seconds and milliseconds are those of the application that is simulated.
/// </summary>
public sealed record Setting
{
    public required UsersSetting Users { get; init; }

    public required NodeSetting Nodes { get; init; }

    public required ServiceSetting Ingestion { get; init; }

    public required QueueSetting Queue { get; init; }

    public required HandlingSetting Handling { get; init; }

    public CallSetting Calls { get; init; } = new();

    /// <summary>The receivers. Their CPU time is that of one message; their latency is the time until the broker answers a settlement.
    /// </summary>
    public required ServiceSetting Workflow { get; init; }

    /// <summary>What Workflow calls. The last one stores in the cache.</summary>
    public required IReadOnlyList<ServiceSetting> Backends { get; init; }

    /// <summary>
    /// The steps of a message, one after the other: indices of <see cref="Backends"/>. Those of one step are called at the same time. By
    /// default each is a step of its own.
    /// </summary>
    public IReadOnlyList<IReadOnlyList<int>> Steps
    {
        get => field ?? [.. Backends.Select((_, i) => (IReadOnlyList<int>)[i])];
        init;
    }

    /// <summary>Deliveries for which the cache has memory; null: it has enough.</summary>
    public long? CacheFits { get; init; }

    /// <summary>From the first request until Workflow begins to receive.</summary>
    public double WorkflowStartsAfterSeconds { get; init; }

    /// <summary>How long the application is observed after the last request.</summary>
    public double ObserveSeconds { get; init; }

    /// <summary>Whether observation ends when the queue is empty.</summary>
    public bool UntilEmpty { get; init; }

    /// <summary>From one sample to the next.</summary>
    public double SampleSeconds { get; init; } = 0.25;

    /// <summary>What goes wrong, and when.</summary>
    public IReadOnlyList<Fault> Faults { get; init; } = [];
}

/// <summary>Users who send a request, wait for its answer and for their next time, and send the next one.</summary>
/// <param name="Most">Users after the last step.</param>
/// <param name="DurationSeconds">After it nobody sends.</param>
/// <param name="EveryMilliseconds">Mean time between the starts of one user's requests.</param>
/// <param name="Jitter">Share by which that time varies, evenly.</param>
/// <param name="Open">Whether users send on time even if answers are late.</param>
/// <param name="Random">Whether that time is exponential instead: what comes in at random, if users are open.</param>
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
    /// <summary>When a user (from 0) begins, in seconds.</summary>
    public double StartOf(int user) => user < Start ? 0 : ((user - Start) / Step + 1) * StepSeconds;
}

/// <param name="LockSeconds">How long a received message is locked.</param>
/// <param name="MaxDeliveryCount">Failed deliveries of a message before it is dead-lettered.</param>
/// <param name="MessagesAtStart">In the queue before the first request.</param>
public sealed record QueueSetting(double LockSeconds, int MaxDeliveryCount, int MessagesAtStart = 0);

/// <summary>How one Workflow receives and settles.</summary>
/// <param name="ConcurrentCalls">Messages that it handles at a time.</param>
/// <param name="Prefetch">Messages that it may hold; 0: one for each handler that waits.</param>
/// <param name="RenewalSeconds">How long the lock of a message is renewed while its handler runs; 0: never.</param>
/// <param name="FailuresDeadLetter">Whether a message that failed is dead-lettered at once, rather than abandoned.</param>
/// <param name="AbandonDelaySeconds">Pause before the first abandon of a message; doubled with each delivery.</param>
/// <param name="HoldsDuringOutage">Whether it stops receiving while a circuit is open; no message is given up then.</param>
/// <param name="RetriesFailures">Whether a message that failed is retried as a scheduled copy, rather than given up.</param>
/// <param name="RetrySeconds">Until the copy of a message that failed, or that it has in hand when a circuit opens, is delivered.</param>
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

/// <summary>What a call to a back end goes through.</summary>
public sealed record CallSetting
{
    /// <summary>Pauses before the retries of a failed call.</summary>
    public IReadOnlyList<double> RetrySeconds { get; init; } = [];

    /// <summary>Share by which a pause varies, evenly.</summary>
    public double RetryJitter { get; init; }

    public double AttemptTimeoutSeconds { get; init; } = 10;

    /// <summary>A retry that would begin later than this after the call is left out.</summary>
    public double TotalTimeoutSeconds { get; init; } = 30;

    /// <summary>Share of failed calls that opens the circuit; 0: there is no circuit breaker.</summary>
    public double BreakerRatio { get; init; }

    /// <summary>Calls in the window before the circuit may open.</summary>
    public int BreakerMinimum { get; init; } = 2;

    public double BreakerWindowSeconds { get; init; } = 5;

    public double BreakerBreakSeconds { get; init; } = 5;
}

/// <summary>One service and where its replicas run.</summary>
/// <param name="Nodes">Replica → node, from 0.</param>
/// <param name="Cpu">CPU time of a request or message on the replica's node; null: none.</param>
/// <param name="Latency">Time until an answer, the wait for the node included; null: as soon as the node has done its work.</param>
public sealed record ServiceSetting(IReadOnlyList<int> Nodes, Times? Cpu = null, Times? Latency = null)
{
    /// <summary>For those who read; empty where nobody asks.</summary>
    public string Name { get; init; } = "";
}

/// <param name="VCpu">Requests or messages that one node serves at a time.</param>
/// <param name="SystemJobMilliseconds">CPU time of the system's own job; 0: it has none.</param>
/// <param name="SystemEveryMilliseconds">From one of these jobs to the next.</param>
public sealed record NodeSetting(
    int Count,
    int VCpu,
    double SystemJobMilliseconds = 0,
    double SystemEveryMilliseconds = 100
);
