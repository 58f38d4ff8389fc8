namespace DroneDelivery.Lab.Stages;

/// <summary>
/// A file of <c>loadtest/stages</c>. A stage that is based on another has only what it changes there; its checks, predicted figures and
/// notes are always its own.
/// </summary>
internal sealed record StageFile
{
    /// <summary>As typed after <c>lab run</c>: <c>2</c>, <c>5-long</c>.</summary>
    public required string Id { get; init; }

    public required string Title { get; init; }

    public required string Question { get; init; }

    public required string Change { get; init; }

    /// <summary>The stage that this one changes; null: it changes none, and says everything itself.</summary>
    public string? BasedOn { get; init; }

    public string? HalfOf { get; init; }

    public bool IsVariant { get; init; }

    public string? Profile { get; init; }

    public string? Environment { get; init; }

    public StartingState? Start { get; init; }

    public KnobSet Knobs { get; init; } = KnobSet.Empty;

    public Observation? Observe { get; init; }

    public required IReadOnlyList<Check> Checks { get; init; }

    public required IReadOnlyList<string> Predicted { get; init; }

    public IReadOnlyList<string> PredictedAtFullLength { get; init; } = [];

    public string? Expect { get; init; }

    public required IReadOnlyList<string> Notes { get; init; }

    /// <summary>The stages of the files, in their order.</summary>
    /// <exception cref="BadInputException">
    /// A stage is based on one that there is not, or leads back to itself; it repeats what its base has, or lacks what no base has.
    /// </exception>
    public static IReadOnlyList<Stage> Resolve(IReadOnlyList<StageFile> files) => [.. files.Select(file => file.StageIn(files, []))];

    /// <param name="files">All.</param>
    /// <param name="above">The stages that are based on this one.</param>
    private Stage StageIn(IReadOnlyList<StageFile> files, IReadOnlyList<string> above)
    {
        if (above.Contains(Id))
            throw Refused($"basedOn leads back to it: {string.Join(", ", [.. above, Id])}");
        if (BasedOn is null)
            return StageOn(null);
        Stage.Require(Id, "a stage for basedOn", [BasedOn], [.. files.Select(file => file.Id)]);
        return StageOn(files.First(file => file.Id == BasedOn).StageIn(files, [.. above, Id]));
    }

    private Stage StageOn(Stage? it) => new()
    {
        Id = Id,
        Title = Title,
        Question = Question,
        Change = Change,
        BasedOn = it,
        Profile = Own("profile", Profile, it?.Profile),
        Environment = Own("environment", Environment, it?.Environment),
        Start = Own("start", Start, it?.Start),
        Knobs = it is null ? Knobs : it.Knobs.With(Changing(it)),
        Observe = Own("observe", Observe, it?.Observe),
        Checks = Checks,
        Predicted = Predicted,
        PredictedAtFullLength = PredictedAtFullLength,
        Expect = Expect,
        Notes = Notes,
        HalfOf = HalfOf,
        IsVariant = IsVariant,
    };

    private KnobSet Changing(Stage it)
    {
        foreach (var (knob, value) in Knobs.All)
        {
            if (it.Knobs[knob.Name] is { } before && knob.Show(before) == knob.Show(value))
                throw Repeated($"knob {knob.Name}");
        }
        return Knobs;
    }

    private T Own<T>(string field, T? own, T? inherited)
        where T : class =>
        own is null ? inherited ?? throw Refused($"{field} is missing, and there is no basedOn that has it")
        : own.Equals(inherited) ? throw Repeated(field)
        : own;

    private BadInputException Repeated(string what) => Refused($"{what} is the same in stage {BasedOn}: leave it out");

    private BadInputException Refused(string why) => new($"stage {Id}: {why}.");
}
