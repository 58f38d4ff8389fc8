using System.Text.Json.Serialization;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model;

namespace DroneDelivery.Lab.Predict;

/// <summary>
/// Competing consumers of a Service Bus queue, as somebody describes them for the model: what comes in, the queue, the services, where they
/// run. <c>loadtest/systems/schema.json</c> says the same to editors. Durations are seconds or a text with a unit.
/// </summary>
internal sealed record SystemFile
{
    [JsonPropertyName("$schema")]
    public string? Schema { get; init; }

    public string Name { get; init; } = "";

    /// <summary>What is assumed, and where the figures come from.</summary>
    public string Description { get; init; } = "";

    public SystemLoad? Load { get; init; }

    public Observation Observe { get; init; } = new(300, UntilEmpty: true);

    public SystemQueue Queue { get; init; } = new();

    /// <summary>Null: nobody waits for a CPU.</summary>
    public SystemNodes? Nodes { get; init; }

    public SystemCalls Http { get; init; } = new();

    /// <summary>Name → service, in the order in which their replicas are put on nodes.</summary>
    public IReadOnlyDictionary<string, SystemService> Services { get; init; } = new Dictionary<string, SystemService>();

    /// <summary>The service that puts what comes in into the queue; null: none does any work for it.</summary>
    public string? Accepts { get; init; }

    /// <summary>The service that receives from the queue.</summary>
    public string Receives { get; init; } = "";

    [JsonIgnore]
    public SystemService Receiver => Services[Receives];
}

/// <summary>What comes in: either so many a second, at random, or users.</summary>
internal sealed record SystemLoad
{
    public double? PerSecond { get; init; }

    [JsonConverter(typeof(SecondsConverter))]
    public double Duration { get; init; } = 600;

    public int StartUsers { get; init; } = 1;

    public int StepUsers { get; init; } = 1;

    [JsonConverter(typeof(SecondsConverter))]
    public double StepSeconds { get; init; } = 1;

    public int? MaxUsers { get; init; }

    public double RequestEveryMilliseconds { get; init; } = 1000;

    public double Jitter { get; init; }

    public bool Open { get; init; }
}

internal sealed record SystemQueue
{
    [JsonConverter(typeof(SecondsConverter))]
    public double LockDuration { get; init; } = 60;

    public int MaxDeliveryCount { get; init; } = 10;

    public int MessagesAtStart { get; init; }
}

internal sealed record SystemNodes
{
    public int Count { get; init; } = 1;

    public int VCpu { get; init; } = 1;

    public SystemShare System { get; init; } = new(0, 100);

    public PlacementRule Placement { get; init; } = PlacementRule.RoundRobin;

    /// <summary>Factor on the CPU time of all services; 0: nobody waits for a CPU.</summary>
    public double CpuCost { get; init; } = 1;
}

/// <summary>What a call to another service goes through.</summary>
internal sealed record SystemCalls
{
    public IReadOnlyList<double> RetryDelays { get; init; } = [];

    public double RetryJitter { get; init; }

    [JsonConverter(typeof(SecondsConverter))]
    public double AttemptTimeout { get; init; } = 100;

    public double BreakerFailureRatio { get; init; }

    public int BreakerMinimumThroughput { get; init; } = 2;

    [JsonConverter(typeof(SecondsConverter))]
    public double BreakerSamplingDuration { get; init; } = 5;

    [JsonConverter(typeof(SecondsConverter))]
    public double BreakerBreakDuration { get; init; } = 5;
}

/// <summary>A service. What is said from <see cref="MaxConcurrentCalls"/> on is for the one that receives.</summary>
internal sealed record SystemService
{
    public int Replicas { get; init; } = 1;

    /// <summary>Of a request or message.</summary>
    [JsonConverter(typeof(TimesConverter))]
    public Times? CpuMilliseconds { get; init; }

    /// <summary>Milliseconds until an answer, waits for the CPU included.</summary>
    [JsonConverter(typeof(TimesConverter))]
    public Times? Latency { get; init; }

    public int MaxConcurrentCalls { get; init; } = 1;

    public int PrefetchCount { get; init; }

    [JsonConverter(typeof(SecondsConverter))]
    public double MaxAutoLockRenewalDuration { get; init; } = 300;

    /// <summary>Milliseconds until the broker answers a settlement.</summary>
    [JsonConverter(typeof(TimesConverter))]
    public Times? Settlement { get; init; }

    /// <summary>How long a message that failed is retried, as a scheduled copy.</summary>
    [JsonConverter(typeof(SecondsConverter))]
    public double RetryFor { get; init; }

    /// <summary>Until the copy is delivered.</summary>
    [JsonConverter(typeof(SecondsConverter))]
    public double RetryDelay { get; init; } = 1;

    /// <summary>The end of a message that failed and is not retried.</summary>
    public FailurePolicy FailurePolicy { get; init; }

    [JsonConverter(typeof(SecondsConverter))]
    public double AbandonDelay { get; init; }

    public Switch HoldDuringOutage { get; init; } = Switch.Off;

    /// <summary>Whom it calls for a message, step after step.</summary>
    public IReadOnlyList<SystemStep> Calls { get; init; } = [];
}

/// <summary>Services that are called at the same time.</summary>
[JsonConverter(typeof(StepConverter))]
internal sealed record SystemStep(IReadOnlyList<string> Services);

internal enum FailurePolicy
{
    Abandon,
    DeadLetter,
}

internal enum Switch
{
    On,
    Off,
}
