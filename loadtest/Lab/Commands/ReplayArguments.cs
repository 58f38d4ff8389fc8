using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Replays;
using DroneDelivery.Lab.Runs;

namespace DroneDelivery.Lab.Commands;

/// <summary>What was typed after <c>lab replay</c>.</summary>
internal sealed record ReplayArguments
{
    public required string Stage { get; init; }

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

    public bool IsFull { get; init; }

    /// <summary>What durations and stocks are divided by, unless it is of full length.</summary>
    public double K { get; init; } = RunOptions.Quick;

    public string Driver { get; init; } = LoadDrivers.Automatic;

    /// <summary>Knobs that the target is taken to run with, as they were typed.</summary>
    public IReadOnlyList<string> Set { get; init; } = [];

    /// <summary>Processes of its services as they were typed.</summary>
    public IReadOnlyList<string> Replicas { get; init; } = [];

    /// <summary>What it emulates; null: nothing.</summary>
    public string? Environment { get; init; }

    public int Seed { get; init; } = 1;

    /// <summary>Whether the target's queue is emptied first.</summary>
    public bool Purge { get; init; }

    /// <summary>Whether load for another machine is agreed to.</summary>
    public bool Yes { get; init; }

    public bool DryRun { get; init; }

    public bool Json { get; init; }

    /// <summary>Plays the same again, without keys.</summary>
    public string Command { get; init; } = "";

    /// <param name="now">Names the folder.</param>
    /// <exception cref="BadInputException">No target, not one stage, or knobs that do not fit together.</exception>
    public RunPlan PlanAt(DateTimeOffset now)
    {
        if (Targets.Count == 0)
            throw new BadInputException("--target is needed: the base address of Ingestion, for example http://localhost:5100.");
        var options = new RunOptions(
            IsFull ? 1 : K,
            SharedOptions.Knobs(Set, Replicas),
            Environment,
            RunOptions.FolderOf(now, $"replay-{Stage}"),
            new Ports(0),
            Seed,
            Open: false)
        {
            Targets = Targets,
        };
        return RunPlan.Of([Stage], options) is { Played.Count: 1 } plan
            ? plan
            : throw new BadInputException("One stage is replayed at a time: the next one needs other knobs, which its platform sets.");
    }

    /// <exception cref="BadInputException">None was given.</exception>
    public BusConnection Bus() =>
        new(Connection ?? System.Environment.GetEnvironmentVariable(BusConnection.Variable)
            ?? throw new BadInputException(
                $"--connection, or the variable {BusConnection.Variable}, is needed: the rates of a stage come from its queue."));
}
