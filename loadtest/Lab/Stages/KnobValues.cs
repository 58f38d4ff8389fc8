using System.Globalization;

namespace DroneDelivery.Lab.Stages;

/// <summary>The knobs of one variant as they are applied: the experiment's, then the variant's, then those of the command line.</summary>
internal sealed record KnobValues(IReadOnlyDictionary<string, double> All)
{
    public double this[string knob] => All[knob];

    /// <param name="set">Knob → value, of the command line.</param>
    public static KnobValues Of(
        Experiment experiment,
        Variant variant,
        bool isFull,
        IReadOnlyDictionary<string, double> set
    )
    {
        var values = experiment.Knobs.ToDictionary(knob => knob.Key, knob => knob.Value.For(isFull));
        foreach (var (name, value) in (variant.Knobs ?? new Dictionary<string, double>()).Concat(set))
            values[name] = value;
        return new(values);
    }

    /// <exception cref="BadInputException">No such knob, no number, or one out of range.</exception>
    public static IReadOnlyDictionary<string, double> Parse(Experiment experiment, IEnumerable<string> pairs)
    {
        var knobs = new Dictionary<string, double>();
        foreach (var (name, value) in pairs.Select(pair => Parse(experiment, pair)))
            knobs[name] = value; // the last one counts
        return knobs;
    }

    private static (string Name, double Value) Parse(Experiment experiment, string pair)
    {
        if (pair.Split('=', 2) is not [var name, var text])
            throw new BadInputException($"{pair}: expected KNOB=VALUE.");
        var knob = Nearest.Named($"a knob of {experiment.Name}", name, experiment.Knobs, known => known.Key).Value;
        var isNumber = double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var value);
        return isNumber && value >= knob.Min && value <= knob.Max
            ? (name, value)
            : throw new BadInputException(
                $"{name}={text}: expected a number from {knob.Min} to {knob.Max}{(knob.Unit.Length > 0 ? $" ({knob.Unit})" : "")}."
            );
    }
}
