using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Load;

/// <param name="Targets">The base addresses of the Ingestion replicas, used round robin.</param>
/// <param name="Open">Whether users send on schedule (open model) instead of waiting for the previous response (closed model).</param>
/// <param name="IsAdmitted">Whether the user has confirmed load on other machines.</param>
internal sealed record LoadPlan(
    StepProfile Profile,
    IReadOnlyList<Uri> Targets,
    bool Open,
    int Seed,
    bool IsAdmitted = false
)
{
    public IReadOnlyList<Uri> Targets { get; } = IsAdmitted ? Targets : [.. Targets.Select(Loopback.Require)];

    public required Stage Stage { get; init; }

    public double K { get; init; } = 1;

    /// <summary>The Service Bus that k6 observes; <c>null</c> if only the lab observes it.</summary>
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

    /// <summary>The maximum number of pending requests; the open model drops others.</summary>
    public const int MaxInFlight = 1000;
}

/// <summary>Puts a step load on Ingestion. k6 and the built-in load generator produce the same users and rates.</summary>
internal interface ILoadDriver
{
    string Name { get; }

    /// <summary>The CPU time of the load generator's process, if it isn't the lab's own.</summary>
    TimeSpan Cpu { get; }

    /// <summary>Requests accepted (202) so far; <c>null</c> if known only at the end.</summary>
    long? Accepted { get; }

    Task<LoadResult> RunAsync(LoadPlan plan, Action started, CancellationToken cancellationToken);
}
