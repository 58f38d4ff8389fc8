using System.Text.Json.Serialization;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model;

namespace DroneDelivery.Lab.Predict;

/// <summary>
/// A custom system for the model: competing consumers of a Service Bus queue. <c>loadtest/systems/schema.json</c> describes the fields for
/// editors. Durations are seconds, or a string with a unit.
/// </summary>
internal sealed record SystemFile
{
    [JsonPropertyName("$schema")]
    public string? Schema { get; init; }

    public string Name { get; init; } = "";

    public string Description { get; init; } = "";

    public SystemLoad? Load { get; init; }

    public Observation Observe { get; init; } = new(300, UntilEmpty: true);

    public SystemPart? Queue { get; init; }

    public SystemPart? Http { get; init; }

    /// <summary><c>null</c> for unlimited CPU.</summary>
    public SystemNodes? Nodes { get; init; }

    /// <summary>The services by name, in the order in which their replicas are placed.</summary>
    public IReadOnlyDictionary<string, SystemService> Services { get; init; } = new Dictionary<string, SystemService>();

    /// <summary>The service that accepts requests and queues them; <c>null</c> if that takes no work.</summary>
    public string? Accepts { get; init; }

    /// <summary>The service that receives from the queue.</summary>
    public string Receives { get; init; } = "";

    /// <summary>The settings that <see cref="SystemText"/> reads from the other parts.</summary>
    [JsonIgnore]
    public KnobSet Knobs { get; init; } = KnobSet.Empty;
}

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

    [JsonConverter(typeof(TimesConverter))]
    public Times? CpuMilliseconds { get; init; }

    /// <summary>Response time in milliseconds, including the wait for the CPU.</summary>
    [JsonConverter(typeof(TimesConverter))]
    public Times? Latency { get; init; }

    /// <summary>The broker's response time for a settlement.</summary>
    [JsonConverter(typeof(TimesConverter))]
    public Times? Settlement { get; init; }

    public FailurePolicy FailurePolicy { get; init; }

    [JsonConverter(typeof(SecondsConverter))]
    public double AbandonDelay { get; init; }

    /// <summary>The calls for a message, in order.</summary>
    public IReadOnlyList<SystemStep> Calls { get; init; } = [];
}

[JsonConverter(typeof(StepConverter))]
internal sealed record SystemStep(IReadOnlyList<string> Services);

internal enum FailurePolicy
{
    Abandon,
    DeadLetter,
}
