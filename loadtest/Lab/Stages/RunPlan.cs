namespace DroneDelivery.Lab.Stages;

/// <summary>What the command line says about a whole run.</summary>
/// <param name="K">What durations and stocks are divided by: 1 is full length, 8 is quick.</param>
/// <param name="Overrides">Knobs of the command line, in full-length units.</param>
/// <param name="Environment">Null: the stages' own.</param>
/// <param name="Open">Whether arrivals wait for no answer.</param>
internal sealed record RunOptions(
    double K,
    KnobSet Overrides,
    string? Environment,
    string Folder,
    Ports Ports,
    int Seed,
    bool Open
)
{
    public const double Quick = 8;

    /// <summary>The stages as they are published, for predictions.</summary>
    public static RunOptions Published(double k) => new(k, KnobSet.Empty, null, "", new(0), Seed: 1, Open: false);

    /// <summary>Where a replay puts its load; none: on the application that the lab starts.</summary>
    public IReadOnlyList<Uri> Targets { get; init; } = [];

    public IReadOnlyList<StageFault> Faults { get; init; } = [];

    public bool IsChanged =>
        !Overrides.IsEmpty || Environment is not null || Open || Targets.Count > 0 || Faults.Count > 0;
}

/// <summary>The stages of a run, in the order in which they are played.</summary>
/// <param name="Halves">Stages that are the first half of a played one: judged, and not played.</param>
internal sealed record RunPlan(RunOptions Options, IReadOnlyList<StagePlan> Played, IReadOnlyList<StagePlan> Halves)
{
    public const string Everything = "all";

    /// <summary>Seconds of load and observation from a stage on.</summary>
    public double SecondsFrom(StagePlan stage) =>
        Played.SkipWhile(other => other != stage).Sum(other => other.TotalSeconds);

    /// <param name="ids">Stages, or <c>all</c> for the whole story; their order does not matter.</param>
    public static RunPlan Of(IReadOnlyList<string> ids, RunOptions options)
    {
        var all = Stage.All();
        var asked = ids.Select(id => id == Everything ? null : Stage.Load(id)).ToList();
        bool IsAsked(Stage stage) =>
            asked.Exists(it => it is null ? stage is { HalfOf: null, IsVariant: false } : it.Id == stage.Id);
        var played = all.Where(IsAsked).ToList();
        var halves = all.Where(stage => played.Exists(other => other.Id == stage.HalfOf)).ToList();
        return new(
            options,
            [.. played.Except(halves).Select(stage => StagePlan.Of(stage, options))],
            [.. halves.Select(stage => StagePlan.Of(stage, options))]
        );
    }
}
