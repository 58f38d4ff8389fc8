namespace DroneDelivery.Lab.Stages;

/// <param name="K">The divisor of durations and sizes: 1 is full scale, 8 the default.</param>
/// <param name="Overrides">In full-scale units.</param>
/// <param name="Environment"><c>null</c> for the stages' own.</param>
/// <param name="Open">Whether users send without waiting for responses.</param>
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

    /// <summary>Returns the options of the published stages.</summary>
    public static RunOptions Published(double k) => new(k, KnobSet.Empty, null, "", new(0), Seed: 1, Open: false);

    /// <summary>Empty for the application that the lab starts.</summary>
    public IReadOnlyList<Uri> Targets { get; init; } = [];

    public IReadOnlyList<StageFault> Faults { get; init; } = [];

    public bool IsChanged =>
        !Overrides.IsEmpty || Environment is not null || Open || Targets.Count > 0 || Faults.Count > 0;
}

/// <param name="Halves">Stages that are the first half of another one: checked, but not run separately.</param>
internal sealed record RunPlan(RunOptions Options, IReadOnlyList<StagePlan> Played, IReadOnlyList<StagePlan> Halves)
{
    public const string Everything = "all";

    /// <summary>Returns the seconds until the end of the run.</summary>
    public double SecondsFrom(StagePlan stage) =>
        Played.SkipWhile(other => other != stage).Sum(other => other.TotalSeconds);

    /// <param name="ids">The stages in any order, or <c>all</c> for the default sequence.</param>
    public static RunPlan Of(IReadOnlyList<string> ids, RunOptions options)
    {
        var all = Stage.All();
        var asked = ids.Select(id => id == Everything ? null : Stage.Load(id)).ToList();
        bool IsAsked(Stage stage) =>
            asked.Exists(one => one is null ? stage is { HalfOf: null, IsVariant: false } : one.Id == stage.Id);
        var played = all.Where(IsAsked).ToList();
        var halves = all.Where(stage => played.Exists(other => other.Id == stage.HalfOf)).ToList();
        return new(
            options,
            [.. played.Except(halves).Select(stage => StagePlan.Of(stage, options))],
            [.. halves.Select(stage => StagePlan.Of(stage, options))]
        );
    }
}
