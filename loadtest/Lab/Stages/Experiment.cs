using System.Text.Json.Serialization;

namespace DroneDelivery.Lab.Stages;

/// <summary>
/// What one published article measured, played again on this machine: a question, knobs, variants, and checks that can fail. Read from
/// <c>loadtest/experiments</c>.
/// </summary>
internal sealed record Experiment
{
    /// <summary>As typed after <c>lab experiment</c>.</summary>
    public required string Name { get; init; }

    public required string Title { get; init; }

    public required string Question { get; init; }

    public required Article Article { get; init; }

    /// <summary>Name → value of a full-length and of a quick run.</summary>
    public required IReadOnlyDictionary<string, ExperimentKnob> Knobs { get; init; }

    /// <summary>In the order in which they are played.</summary>
    public required IReadOnlyList<Variant> Variants { get; init; }

    /// <summary>
    /// Name → what is measured or computed. Where several variants have it, checks name the variant before it: <c>c16.rps</c>.
    /// </summary>
    public required IReadOnlyDictionary<string, ExperimentFigure> Figures { get; init; }

    public required IReadOnlyList<Check> Checks { get; init; }

    /// <summary>Which knobs were fitted to which rows of the article: a check of those rows could not fail.</summary>
    public required IReadOnlyList<FittedKnobs> Fits { get; init; }

    /// <summary>Where the article is wrong or confounded, and what the experiment does about it.</summary>
    public required IReadOnlyList<string> Notes { get; init; }

    /// <summary>Two figures of which no variant has the best of both; null: none.</summary>
    public Tradeoff? Tradeoff { get; init; }

    public const string Everything = "all";

    private const string Folder = "experiments";

    private static readonly Lazy<IReadOnlyList<Experiment>> FromFiles = new(() =>
        [
            .. Directory
                .GetFiles(Path.Combine(Repository.Root, "loadtest", Folder), "*.json")
                .Select(file => LabFile.Read<Experiment>(Folder, Path.GetFileNameWithoutExtension(file)).Valid())
                .OrderBy(experiment => experiment.Name, StringComparer.Ordinal),
        ]
    );

    /// <exception cref="BadInputException">A file is not in the expected form, or a check names a figure that there is not.</exception>
    public static IReadOnlyList<Experiment> All() => FromFiles.Value;

    public static Experiment Load(string name) =>
        Nearest.Named("an experiment", name, All(), experiment => experiment.Name);

    /// <param name="names">None: all of them.</param>
    public IReadOnlyList<Variant> VariantsOf(IReadOnlyList<string> names)
    {
        var asked = names
            .Select(name => Nearest.Named($"a variant of {Name}", name, Variants, variant => variant.Name))
            .ToList();
        return asked.Count == 0 ? Variants : [.. Variants.Where(asked.Contains)];
    }

    /// <summary>What a figure is.</summary>
    /// <param name="name">Its own, or a variant's and its own.</param>
    public ExperimentFigure FigureOf(string name)
    {
        if (Figures.TryGetValue(name, out var figure))
            return figure;
        var dot = name.IndexOf('.', StringComparison.Ordinal);
        var ofVariant = dot > 0 && Variants.Any(variant => variant.Name == name[..dot]);
        return Nearest
            .Named($"a figure of {Name}", ofVariant ? name[(dot + 1)..] : name, Figures, known => known.Key)
            .Value;
    }

    private Experiment Valid()
    {
        foreach (
            var name in Checks
                .Select(check => check.Figure)
                .Concat(Checks.Select(check => check.RelativeTo).OfType<string>())
        )
        {
            _ = FigureOf(name);
        }

        foreach (var fit in Fits)
        {
            _ = fit.Knobs.Select(name => Nearest.Named($"a knob of {Name}", name, Knobs, known => known.Key)).ToList();
            _ = fit.JudgedBy.Select(id => Nearest.Named($"a check of {Name}", id, Checks, known => known.Id)).ToList();
        }
        foreach (var name in Tradeoff is null ? [] : new[] { Tradeoff.X, Tradeoff.Y })
            _ = FigureOf(name);
        return this;
    }
}

/// <summary>What one pays for the other, a point for each variant.</summary>
internal sealed record Tradeoff(string Title, string Says, string X, string Y);

/// <param name="JudgedBy">Checks of other rows, which may find that the fit is wrong.</param>
internal sealed record FittedKnobs(IReadOnlyList<string> Knobs, string Rows, IReadOnlyList<string> JudgedBy);

internal sealed record Article(string Title, string Author, ExperimentTable Table);

/// <summary>Text in rows; a head that ends in <c>#</c> is of a column of numbers.</summary>
internal sealed record ExperimentTable(
    string Title,
    string Says,
    IReadOnlyList<string> Head,
    IReadOnlyList<IReadOnlyList<string>> Rows
)
{
    public Table ToTable() => Table.Of(Title, Head, Rows, row => [.. row.Select(text => (Cell)text)]);
}

/// <summary>Where a number comes from. The two are never mixed in one.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<Arm>))]
internal enum Arm
{
    /// <summary>Declared capacity and latency: held to the article's figures.</summary>
    Emulated,

    /// <summary>This machine, nothing emulated: held to figures of the same run, and to counts of what failed or was lost.</summary>
    Real,
}

/// <param name="Knobs">What differs from the experiment's own.</param>
internal sealed record Variant(string Name, Arm Arm, string Title, IReadOnlyDictionary<string, double>? Knobs = null);

/// <param name="Value">Of a full-length run.</param>
/// <param name="Quick">Of a quick run, where it differs.</param>
internal sealed record ExperimentKnob(
    double Value,
    string Unit,
    double Min,
    double Max,
    string Meaning,
    double? Quick = null
)
{
    public double For(bool isFull) => isFull ? Value : Quick ?? Value;
}

/// <param name="Unit">With a leading space where people write one; empty for a count or a ratio.</param>
/// <param name="Noise">Share by which two equal runs may differ, where it is another than that of its arm.</param>
internal sealed record ExperimentFigure(Arm Arm, string Unit, string Meaning, double? Noise = null)
{
    private const double NoiseOfAMachine = 0.2;

    /// <summary>What is computed comes out the same each time; a machine has other things to do.</summary>
    public double NoiseShare => Noise ?? (Arm == Arm.Real ? NoiseOfAMachine : 0);
}
