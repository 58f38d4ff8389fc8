using System.Globalization;
using System.Text.Json.Serialization;
using DroneDelivery.Lab;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Articles;

/// <summary>
/// An experiment that repeats the measurements of a published article: a question, settings, variants, and checks. Read from
/// <c>samples/articles/experiments</c>.
/// </summary>
/// <param name="Name">The name for <c>lab experiment</c>.</param>
/// <param name="Variants">The variants, in order.</param>
/// <param name="Figures">The values by name. If several variants have a value, checks prefix it with the variant: <c>c16.rps</c>.</param>
/// <param name="Fits">The settings that were fitted to rows of the article, whose checks can't fail.</param>
/// <param name="Notes">Errors and confounding factors of the article.</param>
internal sealed record Experiment(
    string Name,
    string Title,
    string Question,
    Article Article,
    IReadOnlyDictionary<string, ExperimentKnob> Knobs,
    IReadOnlyList<Variant> Variants,
    IReadOnlyDictionary<string, ExperimentFigure> Figures,
    IReadOnlyList<Check> Checks,
    IReadOnlyList<FittedKnobs> Fits,
    IReadOnlyList<string> Notes
)
{
    public const string Everything = "all";

    private static readonly Lazy<IReadOnlyList<Experiment>> FromFiles = new(ReadAll);

    /// <exception cref="BadInputException">A file has an invalid format, or a check uses an unknown value.</exception>
    public static IReadOnlyList<Experiment> All() => FromFiles.Value;

    public static Experiment Load(string name) => Nearest.Named("an experiment", name, All(), it => it.Name);

    /// <param name="names">The names; empty for all variants.</param>
    public IReadOnlyList<Variant> VariantsOf(IReadOnlyList<string> names)
    {
        if (names.Count == 0)
            return Variants;
        var asked = new HashSet<Variant>();
        foreach (var name in names)
            asked.Add(Nearest.Named($"a variant of {Name}", name, Variants, it => it.Name));
        return [.. Variants.Where(asked.Contains)];
    }

    /// <param name="name">The name of a value, with or without a variant as prefix.</param>
    public ExperimentFigure FigureOf(string name)
    {
        if (Figures.TryGetValue(name, out var figure))
            return figure;
        var own = name;
        foreach (var variant in Variants)
        {
            var prefix = $"{variant.Name}.";
            if (name.StartsWith(prefix, StringComparison.Ordinal))
                own = name[prefix.Length..];
        }
        return Nearest.Named($"a figure of {Name}", own, Figures, known => known.Key).Value;
    }

    /// <summary>Returns the settings: those of the experiment, overridden by the variant and the command line.</summary>
    public Knobs KnobsOf(Variant variant, bool isFull, IReadOnlyDictionary<string, double> set)
    {
        var values = Knobs.ToDictionary(knob => knob.Key, knob => knob.Value.For(isFull));
        foreach (var (name, value) in variant.Knobs ?? new Dictionary<string, double>())
            values[name] = value;
        foreach (var (name, value) in set)
            values[name] = value;
        return new(values);
    }

    /// <exception cref="BadInputException">A setting is unknown, not a number, or out of range.</exception>
    public IReadOnlyDictionary<string, double> Parse(IEnumerable<string> pairs)
    {
        var knobs = new Dictionary<string, double>();
        foreach (var pair in pairs)
        {
            if (pair.Split('=', 2) is not [var name, var text])
                throw new BadInputException($"{pair}: expected KNOB=VALUE.");
            var (_, knob) = Nearest.Named($"a knob of {Name}", name, Knobs, known => known.Key);
            knobs[name] = knob.Parse(name, text);
        }
        return knobs;
    }

    private static List<Experiment> ReadAll()
    {
        var experiments = new List<Experiment>();
        foreach (var file in Directory.GetFiles(Folder.Of("experiments"), "*.json").Order(StringComparer.Ordinal))
        {
            var experiment = LabFile.ReadFile<Experiment>(file);
            experiment.RequireKnownNames();
            experiments.Add(experiment);
        }
        return experiments;
    }

    private void RequireKnownNames()
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
    }

    private void Require(string what, IEnumerable<string> names, IEnumerable<string> known)
    {
        foreach (var name in names)
            _ = Nearest.Named($"{what} of {Name}", name, [.. known], it => it);
    }
}

/// <summary>The effective settings of a variant.</summary>
internal sealed record Knobs(IReadOnlyDictionary<string, double> All)
{
    public double this[string knob] => All[knob];

    public int Count(string knob) => (int)All[knob];

    public bool IsOn(string knob) => All[knob] > 0;
}

/// <param name="JudgedBy">The checks of other rows, which validate the fit.</param>
internal sealed record FittedKnobs(IReadOnlyList<string> Knobs, string Rows, IReadOnlyList<string> JudgedBy);

internal sealed record Article(string Title, string Author, ExperimentTable Table);

/// <summary>The source of a value. No value combines both.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<Arm>))]
internal enum Arm
{
    /// <summary>Simulated with declared capacity and latency, compared with the article.</summary>
    Emulated,

    /// <summary>Measured on this machine, compared with values of the same run.</summary>
    Real,
}

/// <param name="Knobs">The settings that differ from the experiment's.</param>
internal sealed record Variant(string Name, Arm Arm, string Title, IReadOnlyDictionary<string, double>? Knobs = null);

/// <param name="Value">The value in a full-scale run.</param>
/// <param name="Quick">The value in a quick run, if different.</param>
internal sealed record ExperimentKnob(
    double Value,
    string Unit,
    double Min,
    double Max,
    string Meaning,
    double? Quick = null
)
{
    public double For(bool isFull)
    {
        if (isFull)
            return Value;
        return Quick ?? Value;
    }

    public double Parse(string name, string text)
    {
        var isNumber = double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var value);
        if (isNumber && value >= Min && value <= Max)
            return value;
        var unit = Unit.Length > 0 ? $" ({Unit})" : "";
        throw new BadInputException($"{name}={text}: expected a number from {Min} to {Max}{unit}.");
    }
}

/// <param name="Unit">The unit, with a leading space if required; empty for counts and ratios.</param>
internal sealed record ExperimentFigure(Arm Arm, string Unit, string Meaning);

internal static class Folder
{
    public static string Of(params string[] parts) => Path.Combine([Repository.Root, "samples", "articles", .. parts]);
}
