namespace DroneDelivery.Lab.Stages;

/// <summary>A setting of the application, load or lab.</summary>
/// <param name="Name">For example <c>workflow.prefetchCount</c>.</param>
/// <param name="Min">In the base unit, at full scale.</param>
/// <param name="Process">The service whose replicas receive it, or broker, redis, load, lab.</param>
/// <param name="Setting">The configuration key (<c>Section:Key</c>); <c>null</c> if the lab applies the value.</param>
/// <param name="Scales">Whether it is scaled: a size or duration, unlike a rate or ratio.</param>
/// <param name="Default">The default of the service or the lab; <c>null</c> if it depends on the stage.</param>
internal sealed record Knob(
    string Name,
    KnobUnit Unit,
    double Min,
    double Max,
    string Meaning,
    string Process,
    string? Setting = null,
    bool Scales = false,
    double? Default = null
)
{
    /// <summary>The values of a setting of unit <see cref="KnobUnit.Word"/>.</summary>
    public IReadOnlyList<string> Words { get; init; } = [];

    public IReadOnlyList<double> DefaultList { get; init; } = [];

    public KnobValue Parse(string text) =>
        KnobText.Read(this, text) is { } value && InRange(value)
            ? value
            : throw new BadInputException($"{Name}={text}: {Expectation}");

    public KnobValue Shorten(KnobValue value, double k) => Scales ? value.Select(number => Shorten(number, k)) : value;

    /// <summary>Returns the configuration for a process; empty for settings that the lab applies.</summary>
    public IEnumerable<KeyValuePair<string, string>> Settings(KnobValue value) =>
        Setting switch
        {
            null => [],
            _ when value.Numbers.Count == 0 && value.Word is null => [KeyValuePair.Create(Setting, "")],
            _ when Unit == KnobUnit.SecondsList => value.Numbers.Select(
                (_, i) => KeyValuePair.Create($"{Setting}:{i}", KnobText.Setting(this, value, i))
            ),
            _ => [KeyValuePair.Create(Setting, KnobText.Setting(this, value, 0))],
        };

    public string Show(KnobValue value) => KnobText.Show(this, value);

    public string Expectation =>
        Unit == KnobUnit.Word
            ? $"expected {string.Join(" or ", Words)}"
            : $"expected {KnobText.Describe(Unit)} from {KnobText.Show(this, Min)} to {KnobText.Show(this, Max)}";

    // 0 means off or unlimited. Scaling must not turn a setting off or put it below its minimum.
    private double Shorten(double number, double k) =>
        number == 0
            ? 0
            : Unit switch
            {
                KnobUnit.Count or KnobUnit.Bytes => Math.Max(Math.Max(1, Min), Math.Round(number / k)),
                _ => Math.Max(Min, number / k),
            };

    private bool InRange(KnobValue value) => value.Numbers.All(number => number >= Min && number <= Max);
}

internal sealed record KnobValue(IReadOnlyList<double> Numbers, string? Word = null)
{
    public double Number => Numbers[0];

    public KnobValue Select(Func<double, double> map) => this with { Numbers = [.. Numbers.Select(map)] };
}
