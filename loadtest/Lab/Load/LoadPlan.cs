using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Load;

/// <param name="Targets">Base addresses of the Ingestion replicas; requests rotate over them.</param>
/// <param name="Open">
/// Closed model (false): a user sends the next request when its time has come and the last one is answered. Open model (true): when its
/// time has come, so that a slow system does not slow its clients down.
/// </param>
/// <param name="IsAdmitted">Whether a person has agreed to put this load on other machines.</param>
internal sealed record LoadPlan(
    StepProfile Profile,
    IReadOnlyList<Uri> Targets,
    bool Open,
    int Seed,
    bool IsAdmitted = false
)
{
    public IReadOnlyList<Uri> Targets { get; } = IsAdmitted ? Targets : [.. Targets.Select(Loopback.Require)];

    /// <summary>The stage whose script k6 runs.</summary>
    public required Stage Stage { get; init; }

    /// <summary>The divisor of durations and sizes.</summary>
    public double K { get; init; } = 1;

    /// <summary>The connection string of the Service Bus that k6 observes; <c>null</c> if only the lab observes it.</summary>
    public string? Queue { get; init; }

    public static LoadPlan Of(StagePlan stage)
    {
        var (options, isReplay) = (stage.Options, stage.Options.Targets.Count > 0);
        var targets = isReplay ? options.Targets : stage.Application.Urls(Service.Ingestion);
        return new(stage.Profile, targets, options.Open, options.Seed, IsAdmitted: isReplay)
        {
            Stage = stage.Stage,
            K = stage.K,
            Queue = isReplay ? null : stage.Application.BrokerConnectionString,
        };
    }

    /// <summary>Requests that may wait for their answer at a time; the open model drops what would be more.</summary>
    public const int MaxInFlight = 1000;
}

/// <summary>Puts a step load on Ingestion. k6, where it is installed, and the lab's own give the same users and rates.</summary>
internal interface ILoadDriver
{
    string Name { get; }

    /// <summary>CPU time of the process that makes the load, where that is not the lab's own.</summary>
    TimeSpan Cpu { get; }

    /// <summary>Requests answered with 202 so far; null: it says so at its end alone.</summary>
    long? Accepted { get; }

    Task<LoadResult> RunAsync(LoadPlan plan, Action started, CancellationToken cancellationToken);
}
