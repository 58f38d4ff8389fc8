using System.Text.Json.Serialization;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model;

namespace DroneDelivery.Lab.Predict;

/// <summary>
/// Competing consumers of a Service Bus queue, as the model is told them: what comes in, the queue, the services, where they run. A file
/// describes somebody's own; <c>loadtest/systems/schema.json</c> describes its fields to editors. Durations are seconds or a text with a unit.
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

    public SystemPart? Queue { get; init; }

    public SystemPart? Http { get; init; }

    /// <summary>Null: nobody waits for a CPU.</summary>
    public SystemNodes? Nodes { get; init; }

    /// <summary>Name → service, in the order in which their replicas are put on nodes.</summary>
    public IReadOnlyDictionary<string, SystemService> Services { get; init; } = new Dictionary<string, SystemService>();

    /// <summary>The service that puts what comes in into the queue; null: none does any work for it.</summary>
    public string? Accepts { get; init; }

    /// <summary>The service that receives from the queue.</summary>
    public string Receives { get; init; } = "";

    /// <summary>The settings of queue, calls, nodes and receiver; <see cref="SystemText"/> takes them out of the parts.</summary>
    [JsonIgnore]
    public KnobSet Knobs { get; init; } = KnobSet.Empty;
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

    [JsonIgnore]
    public StepProfile Profile =>
        PerSecond is { } rate
            ? new("", "", 1, 1, 1, 1, Duration, 1000 / rate, Jitter: 0)
            : new(
                "",
                "",
                Math.Min(StartUsers, MaxUsers!.Value),
                StepUsers,
                StepSeconds,
                MaxUsers.Value,
                Duration,
                RequestEveryMilliseconds,
                Jitter
            );
}

/// <summary>A part whose fields are settings.</summary>
internal sealed record SystemPart;

internal sealed record SystemNodes
{
    public SystemShare System { get; init; } = new(0, 100);
}

internal sealed record SystemService
{
    public int Replicas { get; init; } = 1;

    /// <summary>Of a request or message.</summary>
    [JsonConverter(typeof(TimesConverter))]
    public Times? CpuMilliseconds { get; init; }

    /// <summary>Milliseconds until an answer, waits for the CPU included.</summary>
    [JsonConverter(typeof(TimesConverter))]
    public Times? Latency { get; init; }

    /// <summary>Milliseconds until the broker answers a settlement of the service that receives.</summary>
    [JsonConverter(typeof(TimesConverter))]
    public Times? Settlement { get; init; }

    /// <summary>The end of a message that failed and is not retried.</summary>
    public FailurePolicy FailurePolicy { get; init; }

    [JsonConverter(typeof(SecondsConverter))]
    public double AbandonDelay { get; init; }

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
