namespace DroneDelivery.Lab.Stages;

/// <summary>One thing that can be turned from outside.</summary>
/// <param name="Name"><c>process.knob</c>, as in stage files and <c>--set</c>.</param>
/// <param name="Min">Smallest value, in the unit's base unit, at full length.</param>
/// <param name="Process">The service whose replicas get it as <paramref name="Setting"/>, or broker, redis, load, lab.</param>
/// <param name="Setting">Configuration key of the service (<c>Section:Key</c>); null where the lab itself applies the value.</param>
/// <param name="Scales">Whether a run shortened by k divides it by k (stock, duration) or leaves it (rate, ratio, count of parts).</param>
/// <param name="Default">
/// What holds where nobody sets it: the default of the service, or of the lab where the lab applies it. Null: it depends on a stage, or
/// nobody asks.
/// </param>
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
    /// <summary>The words that a knob of unit <see cref="KnobUnit.Word"/> accepts.</summary>
    public IReadOnlyList<string> Words { get; init; } = [];

    /// <summary><see cref="Default"/> of a list.</summary>
    public IReadOnlyList<double> DefaultList { get; init; } = [];

    public KnobValue Parse(string text) =>
        KnobText.Read(this, text) is { } value && InRange(value)
            ? value
            : throw new BadInputException($"{Name}={text}: {Expectation}");

    /// <summary>The value in a run shortened by <paramref name="k"/>.</summary>
    public KnobValue Shorten(KnobValue value, double k) => Scales ? value.Select(number => Shorten(number, k)) : value;

    /// <summary>What a process is told: configuration keys and values; nothing for knobs that the lab applies.</summary>
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

    // 0 means off or no limit. What is on must not be turned off, or made smaller than it may be, by shortening.
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

/// <summary>The value of a knob: numbers in the base unit of the knob (one, except for lists), or a word.</summary>
internal sealed record KnobValue(IReadOnlyList<double> Numbers, string? Word = null)
{
    public double Number => Numbers[0];

    public KnobValue Select(Func<double, double> map) => this with { Numbers = [.. Numbers.Select(map)] };
}
