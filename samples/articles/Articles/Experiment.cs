using System.Globalization;
using System.Text.Json.Serialization;
using DroneDelivery.Lab;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Articles;

/// <summary>
/// The measurements of one published article, played again on this machine: a question, knobs, variants, and checks that can fail. Read
/// from <c>samples/articles/experiments</c>.
/// </summary>
internal sealed record Experiment
{
    public const string Everything = "all";

    private static readonly Lazy<IReadOnlyList<Experiment>> FromFiles = new(() =>
        [
            .. Directory
                .GetFiles(Folder.Of("experiments"), "*.json")
                .Order(StringComparer.Ordinal)
                .Select(file => LabFile.ReadFile<Experiment>(file).Valid()),
        ]
    );

    /// <summary>As typed after <c>lab experiment</c>.</summary>
    public required string Name { get; init; }

    public required string Title { get; init; }

    public required string Question { get; init; }

    public required Article Article { get; init; }

    public required IReadOnlyDictionary<string, ExperimentKnob> Knobs { get; init; }

    /// <summary>In the order in which they are played.</summary>
    public required IReadOnlyList<Variant> Variants { get; init; }

    /// <summary>By name. Of a figure that several variants have, checks name the variant before it: <c>c16.rps</c>.</summary>
    public required IReadOnlyDictionary<string, ExperimentFigure> Figures { get; init; }

    public required IReadOnlyList<Check> Checks { get; init; }

    /// <summary>Which knobs were fitted to which rows of the article: a check of those rows could not fail.</summary>
    public required IReadOnlyList<FittedKnobs> Fits { get; init; }

    /// <summary>Where the article is wrong or confounded.</summary>
    public required IReadOnlyList<string> Notes { get; init; }

    /// <summary>Two figures of which no variant has the best of both; null: none.</summary>
    public Tradeoff? Tradeoff { get; init; }

    /// <exception cref="BadInputException">A file is not in the expected form, or a check names an unknown figure.</exception>
    public static IReadOnlyList<Experiment> All() => FromFiles.Value;

    public static Experiment Load(string name) => Nearest.Named("an experiment", name, All(), it => it.Name);

    /// <param name="names">None: all of them.</param>
    public IReadOnlyList<Variant> VariantsOf(IReadOnlyList<string> names)
    {
        var asked = names.Select(name => Nearest.Named($"a variant of {Name}", name, Variants, it => it.Name)).ToList();
        return asked.Count == 0 ? Variants : [.. Variants.Where(asked.Contains)];
    }

    /// <param name="name">The name of a figure, after that of a variant or alone.</param>
    public ExperimentFigure FigureOf(string name)
    {
        if (Figures.TryGetValue(name, out var figure))
            return figure;
        var parts = name.Split('.', 2);
        var own = parts.Length > 1 && Variants.Any(variant => variant.Name == parts[0]) ? parts[1] : name;
        return Nearest.Named($"a figure of {Name}", own, Figures, known => known.Key).Value;
    }

    /// <summary>Knob → value: the experiment's, then the variant's, then those of the command line.</summary>
    public Knobs KnobsOf(Variant variant, bool isFull, IReadOnlyDictionary<string, double> set)
    {
        var values = Knobs.ToDictionary(knob => knob.Key, knob => knob.Value.For(isFull));
        foreach (var (name, value) in (variant.Knobs ?? new Dictionary<string, double>()).Concat(set))
            values[name] = value;
        return new(values);
    }

    /// <exception cref="BadInputException">An unknown knob, no number, or one out of range.</exception>
    public IReadOnlyDictionary<string, double> Parse(IEnumerable<string> pairs)
    {
        var knobs = new Dictionary<string, double>();
        foreach (var pair in pairs)
        {
            if (pair.Split('=', 2) is not [var name, var text])
                throw new BadInputException($"{pair}: expected KNOB=VALUE.");
            knobs[name] = Nearest.Named($"a knob of {Name}", name, Knobs, known => known.Key).Value.Parse(name, text);
        }
        return knobs;
    }

    private Experiment Valid()
    {
        foreach (var check in Checks)
        {
            _ = FigureOf(check.Figure);
            _ = FigureOf(check.RelativeTo ?? check.Figure);
        }
        foreach (var fit in Fits)
        {
            Require("a knob", fit.Knobs, Knobs.Keys);
            Require("a check", fit.JudgedBy, Checks.Select(check => check.Id));
        }
        if (Tradeoff is { } tradeoff)
            Require("a figure", [tradeoff.X, tradeoff.Y], Figures.Keys);
        return this;
    }

    private void Require(string what, IEnumerable<string> names, IEnumerable<string> known)
    {
        foreach (var name in names)
            _ = Nearest.Named($"{what} of {Name}", name, [.. known], it => it);
    }
}

/// <summary>The knobs of one variant as they are applied.</summary>
internal sealed record Knobs(IReadOnlyDictionary<string, double> All)
{
    public double this[string knob] => All[knob];

    public int Count(string knob) => (int)All[knob];

    public bool IsOn(string knob) => All[knob] > 0;
}

/// <summary>What one pays for the other, a point for each variant.</summary>
internal sealed record Tradeoff(string Title, string Says, string X, string Y);

/// <param name="JudgedBy">Checks of other rows, which can find that the fit is wrong.</param>
internal sealed record FittedKnobs(IReadOnlyList<string> Knobs, string Rows, IReadOnlyList<string> JudgedBy);

internal sealed record Article(string Title, string Author, ExperimentTable Table);

/// <summary>Where a number comes from. No figure mixes the two.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<Arm>))]
internal enum Arm
{
    /// <summary>Declared capacity and latency, compared with the article's figures.</summary>
    Emulated,

    /// <summary>This machine, nothing emulated, compared with figures of the same run.</summary>
    Real,
}

/// <param name="Knobs">What differs from the experiment's own.</param>
internal sealed record Variant(string Name, Arm Arm, string Title, IReadOnlyDictionary<string, double>? Knobs = null);

/// <param name="Value">The value in a full-length run.</param>
/// <param name="Quick">The value in a quick run, where it differs.</param>
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

    public double Parse(string name, string text)
    {
        var isNumber = double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var value);
        var unit = Unit.Length > 0 ? $" ({Unit})" : "";
        return isNumber && value >= Min && value <= Max
            ? value
            : throw new BadInputException($"{name}={text}: expected a number from {Min} to {Max}{unit}.");
    }
}

/// <param name="Unit">With a leading space where people write one; empty for a count or a ratio.</param>
internal sealed record ExperimentFigure(Arm Arm, string Unit, string Meaning);

internal static class Folder
{
    public static string Of(params string[] parts) => Path.Combine([Repository.Root, "samples", "articles", .. parts]);
}
