using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Run;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <summary>What was typed after <c>lab replay</c>.</summary>
internal sealed record ReplayArguments
{
    /// <summary>Which stage, and with which knobs the target is taken to run; its environment is none unless it is typed.</summary>
    public required RunArguments Run { get; init; }

    /// <summary>Base addresses of Ingestion; requests go to each in turn.</summary>
    public IReadOnlyList<Uri> Targets { get; init; } = [];

    /// <summary>Of the Service Bus; null: a variable has it.</summary>
    public string? Connection { get; init; }

    /// <summary>Base addresses of replicas whose errors are counted.</summary>
    public IReadOnlyList<Uri> Services { get; init; } = [];

    /// <summary>The lab's collector that has the target's telemetry.</summary>
    public Uri? Collector { get; init; }

    /// <summary>The Application Insights resource that has it instead.</summary>
    public string? AppInsights { get; init; }

    /// <summary>Of Azure.</summary>
    public string ResourceGroup { get; init; } = "drone-delivery";

    /// <summary>Whether the target's queue is emptied first.</summary>
    public bool Purge { get; init; }

    /// <summary>Whether load for another machine is agreed to.</summary>
    public bool Yes { get; init; }

    public bool DryRun { get; init; }

    /// <param name="now">Names the folder.</param>
    /// <exception cref="BadInputException">No target, not one stage, or knobs that do not fit together.</exception>
    public RunPlan PlanAt(DateTimeOffset now)
    {
        if (Targets.Count == 0)
            throw new BadInputException("--target is needed: the base address of Ingestion, for example http://localhost:5100.");
        var plan = Run.PlanAt(now);
        var options = plan.Options with { Targets = Targets, Folder = RunsOnDisk.FolderOf(now, $"replay-{Run.Stages[0]}") };
        return RunPlan.Of(Run.Stages, options) is { Played.Count: 1 } replayed
            ? replayed
            : throw new BadInputException("One stage is replayed at a time: the next one needs other knobs, which its platform sets.");
    }

    /// <exception cref="BadInputException">None was given.</exception>
    public BusConnection Bus() =>
        new(Connection ?? System.Environment.GetEnvironmentVariable(BusConnection.Variable)
            ?? throw new BadInputException(
                $"--connection, or the variable {BusConnection.Variable}, is needed: the rates of a stage come from its queue."));
}
