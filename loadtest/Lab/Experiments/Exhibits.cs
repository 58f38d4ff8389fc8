using DroneDelivery.Lab.Report;

namespace DroneDelivery.Lab.Experiments;

/// <summary>Text in rows; a head that ends in <c>#</c> is of a column of numbers.</summary>
internal sealed record ExperimentTable(string Title, string Says, IReadOnlyList<string> Head, IReadOnlyList<IReadOnlyList<string>> Rows);

/// <summary>Lines over time.</summary>
/// <param name="Says">What is to be seen, in a sentence.</param>
/// <param name="Query">The file of loadtest/queries that answered with the lines, without <c>.kql</c>; null: none did.</param>
internal sealed record ExperimentChart(
    string Title, string Says, string Unit, IReadOnlyList<ExperimentLine> Lines, string? Query = null);

/// <param name="Seconds">Of each point, in order.</param>
internal sealed record ExperimentLine(string Name, IReadOnlyList<double> Seconds, IReadOnlyList<double> Values);

/// <summary>What one variant showed.</summary>
/// <param name="Figures">Name → value, as the checks name them.</param>
internal sealed record Exhibits(IReadOnlyDictionary<string, double> Figures)
{
    /// <summary>Figures that several variants have, with the variant's name before theirs.</summary>
    public static Exhibits Of(Variant variant, IReadOnlyDictionary<string, double> figures) =>
        new(figures.ToDictionary(figure => $"{variant.Name}.{figure.Key}", figure => figure.Value));

    public IReadOnlyList<ExperimentTable> Tables { get; init; } = [];

    public IReadOnlyList<HeatMap> HeatMaps { get; init; } = [];

    public IReadOnlyList<ExperimentChart> Charts { get; init; } = [];

    public IReadOnlyList<StackedBars> Bars { get; init; } = [];
}
