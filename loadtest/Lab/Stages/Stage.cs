using System.Text.Json.Serialization;

namespace DroneDelivery.Lab.Stages;

/// <summary>A load test: its load, settings and checks. Read from <c>loadtest/stages</c>; numbers are at full scale.</summary>
internal sealed record Stage
{
    /// <summary>The name on the command line, for example <c>2</c> or <c>5-long</c>.</summary>
    public required string Id { get; init; }

    /// <summary>The name of its file and k6 script, without extension.</summary>
    [JsonIgnore]
    public string FileName { get; init; } = "";

    public required string Title { get; init; }
    public required string Question { get; init; }
    public required string Change { get; init; }

    /// <summary>The stage that this one modifies, or <c>null</c>.</summary>
    [JsonIgnore]
    public Stage? BasedOn { get; init; }

    [JsonPropertyName("basedOn")]
    public string? BaseId { get; init; }

    public string Profile { get; init; } = null!; // inherited if a file doesn't specify it, as are the following properties

    public string Environment { get; init; } = null!;

    public StartingState Start { get; init; } = null!;

    public KnobSet Knobs { get; init; } = KnobSet.Empty;

    public Observation Observe { get; init; } = null!;

    public required IReadOnlyList<Check> Checks { get; init; }

    /// <summary>Metrics that are compared with the model's prediction, even without a check.</summary>
    public required IReadOnlyList<string> Predicted { get; init; }

    /// <summary>Metrics that are predictable only at full scale, because shorter runs are too random.</summary>
    public IReadOnlyList<string> PredictedAtFullLength { get; init; } = [];

    /// <summary>A description with predicted metrics in braces.</summary>
    public string? Expect { get; init; }

    public ArticleFinding? Found { get; init; }

    /// <summary>Necessary differences between the lab and the article.</summary>
    public required IReadOnlyList<string> Notes { get; init; }

    /// <summary>A stage with twice the duration, whose first half replaces this stage in a run of both.</summary>
    public string? HalfOf { get; init; }

    /// <summary>Whether the stage is outside the default sequence.</summary>
    public bool IsVariant { get; init; }

    /// <summary>The differences from the stage that it is based on.</summary>
    public IEnumerable<(string What, string Before, string Now)> Changes
    {
        get
        {
            var before = (BasedOn?.Settings ?? []).ToDictionary();
            return Settings
                .Where(setting => before.GetValueOrDefault(setting.Key) != setting.Value)
                .Select(setting => (setting.Key, before.GetValueOrDefault(setting.Key, "–"), setting.Value));
        }
    }

    private IEnumerable<KeyValuePair<string, string>> Settings =>
        [
            new("profile", Profile),
            new("environment", Environment),
            new("messages at the start", $"{Start.Messages}"),
            new("kept from the previous stage", Start.KeepWithin is { } share ? $"within {share:0 %}" : "none"),
            new(
                "seconds after the load",
                $"{Observe.Seconds}{(Observe.UntilEmpty ? ", or until the queue is empty" : "")}"
            ),
            .. Knobs.All.Select(set => KeyValuePair.Create(set.Knob.Name, set.Knob.Show(set.Value))),
        ];

    public static Stage Load(string id)
    {
        var all = All();
        return all.FirstOrDefault(stage => stage.Id == id)
            ?? throw new BadInputException(
                $"{id} is not a stage. There {(all.Count == 1 ? "is" : "are")}: {string.Join(", ", all.Select(stage => stage.Id))}."
            );
    }

    // Cached, because a report uses them in every sentence.
    private static readonly Lazy<IReadOnlyList<Stage>> FromFiles = new(() =>
        Valid(
            StageBase.Resolve([
                .. Directory
                    .GetFiles(Path.Combine(Repository.Root, "loadtest", "stages"), "*.json")
                    .Select(Path.GetFileNameWithoutExtension)
                    .Select(name => LabFile.Read<Stage>("stages", name!) with { FileName = name! })
                    .OrderBy(stage => stage.Id, StringComparer.Ordinal),
            ])
        )
    );

    /// <summary>Returns all stages in the order in which they run.</summary>
    public static IReadOnlyList<Stage> All() => FromFiles.Value;

    /// <summary>Validates references between stages, which checks would only find after the run.</summary>
    public static IReadOnlyList<Stage> Valid(IReadOnlyList<Stage> all)
    {
        string[] figures = [.. FigureTable.All.Select(figure => figure.Name)],
            ids = [.. all.Select(stage => stage.Id)];
        foreach (var stage in all)
        {
            Require(stage.Id, "a figure", stage.Checks.Select(check => check.Figure), figures);
            Require(stage.Id, "a figure", [.. stage.Predicted, .. stage.PredictedAtFullLength], figures);
            Require(stage.Id, "a figure", Expectation.Figures(stage.Found?.Counted ?? ""), figures);
            Require(stage.Id, "a prediction for expect", Expectation.Figures(stage.Expect ?? ""), [.. stage.Predicted]);
            Require(
                stage.Id,
                "a stage for relativeTo",
                stage.Checks.Select(check => check.RelativeTo).OfType<string>(),
                ids
            );
            Require(stage.Id, "a stage for halfOf", stage.HalfOf is { } whole ? [whole] : [], ids);
        }

        return all;
    }

    internal static void Require(string stage, string what, IEnumerable<string> names, string[] known)
    {
        if (names.FirstOrDefault(name => !known.Contains(name)) is not { } unknown)
            return;
        throw new BadInputException($"stage {stage}: {unknown} is not {what}. {Nearest.Hint(unknown, known)}");
    }
}

/// <param name="Messages">The setting <c>queue.messagesAtStart</c> overrides it.</param>
/// <param name="KeepWithin">The relative difference from <paramref name="Messages"/> up to which the previous stage's messages are kept,
/// and topped up; <c>null</c> to clear the queue.</param>
internal sealed record StartingState(int Messages, double? KeepWithin = null);

/// <param name="Counted">A sentence that is true for any result, with metrics in braces.</param>
/// <param name="Means">The conclusion if all checks of an unchanged run pass.</param>
internal sealed record ArticleFinding(string Counted, string Means);

/// <param name="Seconds">The duration after the load.</param>
internal sealed record Observation(double Seconds, bool UntilEmpty);

/// <param name="Why">The meaning of a value outside the range.</param>
/// <param name="BandFull">The range at full scale, if it differs.</param>
/// <param name="RelativeTo">Another stage, by whose value the metric is divided.</param>
internal sealed record Check(
    string Id,
    string Claim,
    string Figure,
    Band Band,
    string Article,
    string Why,
    Band? BandFull = null,
    string? RelativeTo = null
)
{
    /// <summary>Whether it applies to all settings, such as that no message is lost.</summary>
    [JsonIgnore]
    public bool IsForAnyKnobs => FigureTable.Find(Figure).IsForAnyKnobs;

    public Band BandAt(double k) => k == 1 && BandFull is not null ? BandFull : Band;
}

/// <summary>A closed interval; <c>null</c> means unbounded.</summary>
internal sealed record Band(double? Min = null, double? Max = null)
{
    public bool Contains(double value) =>
        !double.IsNaN(value) && value >= (Min ?? double.NegativeInfinity) && value <= (Max ?? double.PositiveInfinity);

    public override string ToString() => ToString(number => $"{number:0.###}");

    public string ToString(Func<double, string> text) =>
        (Min, Max) switch
        {
            ({ } min, { } max) when min == max => text(min),
            ({ } min, { } max) => $"{text(min)}–{text(max)}",
            ({ } min, null) => $"≥ {text(min)}",
            (null, { } max) => $"≤ {text(max)}",
            _ => "any",
        };
}
