using System.Text.Json.Serialization;

namespace DroneDelivery.Lab.Stages;

/// <summary>
/// One load test of the story: what is asked, what is set, what has to come out. Read from <c>loadtest/stages</c>; numbers are for full
/// length.
/// </summary>
internal sealed record Stage
{
    /// <summary>As typed after <c>lab run</c>: <c>2</c>, <c>5-long</c>.</summary>
    public required string Id { get; init; }

    /// <summary>The name of its file and of its k6 script, without extension.</summary>
    [JsonIgnore]
    public string FileName { get; init; } = "";

    public required string Title { get; init; }
    public required string Question { get; init; }
    public required string Change { get; init; }

    /// <summary>The stage that this one changes; null: the first of the story.</summary>
    [JsonIgnore]
    public Stage? BasedOn { get; init; }

    [JsonPropertyName("basedOn")]
    public string? BaseId { get; init; }

    /// <summary>Who loads it: a file of <c>loadtest/profiles</c>.</summary>
    public string Profile { get; init; } = null!; // inherited where a file does not have it, as the next ones

    /// <summary>What is emulated: a file of <c>loadtest/environments</c>, or <c>none</c>.</summary>
    public string Environment { get; init; } = null!;

    public StartingState Start { get; init; } = null!;

    /// <summary>All knobs that differ from the services' own defaults.</summary>
    public KnobSet Knobs { get; init; } = KnobSet.Empty;

    public Observation Observe { get; init; } = null!;

    public required IReadOnlyList<Check> Checks { get; init; }

    /// <summary>Figures that are compared with the model of the lab, also without a check. See <c>PublishedFigures</c>.</summary>
    public required IReadOnlyList<string> Predicted { get; init; }

    /// <summary>More of them at full length: in a shortened run chance decides, such as the best 5 s of a minute.</summary>
    public IReadOnlyList<string> PredictedAtFullLength { get; init; } = [];

    /// <summary>What happens, with predicted figures in braces; null: nobody says. See <see cref="Expectation"/>.</summary>
    public string? Expect { get; init; }

    /// <summary>What the article found; null: it is a variant, of which the article says nothing.</summary>
    public ArticleFinding? Found { get; init; }

    /// <summary>Where the lab has to differ from the article, one sentence each.</summary>
    public required IReadOnlyList<string> Notes { get; init; }

    /// <summary>
    /// Another stage that begins with the very same load for twice as long: where that one is played, its first half is this stage.
    /// </summary>
    public string? HalfOf { get; init; }

    /// <summary>Not a part of the story; played only when it is asked for.</summary>
    public bool IsVariant { get; init; }

    /// <summary>What it sets otherwise than the stage that it is based on, knobs and the rest, as a person writes it.</summary>
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
            new("kept from the stage before", Start.KeepWithin is { } share ? $"within {share:0 %}" : "none"),
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

    // Once: a report asks for them with every sentence.
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

    /// <summary>Every stage there is, in the order in which they are played.</summary>
    public static IReadOnlyList<Stage> All() => FromFiles.Value;

    /// <summary>Before anything is started: the verdict, which needs the names, comes after everything was played.</summary>
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

/// <param name="Messages">In the queue when the load begins, shortened with the run; knob <c>queue.messagesAtStart</c> instead.</param>
/// <param name="KeepWithin">
/// What the stage before left stays as it is when it differs from <paramref name="Messages"/> by this share at most, and is filled up when
/// it is less. Null: the queue is cleared first.
/// </param>
internal sealed record StartingState(int Messages, double? KeepWithin = null);

/// <param name="Counted">With figures in braces: true whatever came out.</param>
/// <param name="Means">Said of a run that plays the stage unchanged, and in which all of its checks hold.</param>
internal sealed record ArticleFinding(string Counted, string Means);

/// <param name="Seconds">How long the run goes on after the load. Shortened with the run.</param>
internal sealed record Observation(double Seconds, bool UntilEmpty);

/// <summary>One assertion about a figure of the run.</summary>
/// <param name="Why">What a figure outside the band would mean.</param>
/// <param name="BandFull">The band at full length, where that differs.</param>
/// <param name="RelativeTo">Another stage: the figure is divided by the same figure of that stage.</param>
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
    /// <summary>Whether it holds however the knobs are turned: no message is lost, no receiver gets too many.</summary>
    [JsonIgnore]
    public bool IsForAnyKnobs => FigureTable.Find(Figure).IsForAnyKnobs;

    /// <summary>The band of a run that is shortened by <paramref name="k"/>.</summary>
    public Band BandAt(double k) => k == 1 && BandFull is not null ? BandFull : Band;
}

/// <summary>A closed interval; an end that is missing is open.</summary>
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
