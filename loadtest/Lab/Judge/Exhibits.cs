using System.Globalization;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <summary>Lines over time.</summary>
/// <param name="Query">The file of loadtest/queries that answered with the lines, without <c>.kql</c>; null: none did.</param>
internal sealed record ExperimentChart(
    string Title,
    string Says,
    string Unit,
    IReadOnlyList<ExperimentLine> Lines,
    string? Query = null
);

internal sealed record ExperimentLine(string Name, IReadOnlyList<double> Seconds, IReadOnlyList<double> Values);

/// <summary>What one variant showed.</summary>
/// <param name="Figures">Name → value, as the checks name them.</param>
internal sealed record Exhibits(IReadOnlyDictionary<string, double> Figures)
{
    /// <summary>Of an emulated variant, whose name stands before those of its figures.</summary>
    public static Exhibits Of(Variant variant, string says, IReadOnlyList<Computed> computed, ExperimentChart chart)
    {
        var columns = computed.Where(it => it.Head is not null).ToList();
        var row = columns.Select(it => it.Value.ToString(it.Format, CultureInfo.InvariantCulture));
        return new(
            computed
                .Where(it => it.Figure is not null)
                .ToDictionary(it => $"{variant.Name}.{it.Figure}", it => it.Value)
        )
        {
            Tables =
            [
                new(
                    variant.Title,
                    says,
                    [.. columns.Select(it => it.Head + "#")],
                    [
                        [.. row],
                    ]
                ),
            ],
            Charts = [chart],
        };
    }

    public IReadOnlyList<ExperimentTable> Tables { get; init; } = [];

    public IReadOnlyList<HeatMap> HeatMaps { get; init; } = [];

    public IReadOnlyList<ExperimentChart> Charts { get; init; } = [];

    public IReadOnlyList<StackedBars> Bars { get; init; } = [];
}

/// <summary>A number that an emulation came to.</summary>
/// <param name="Head">Of its column; null: it has none.</param>
/// <param name="Figure">As the checks name it; null: they do not.</param>
internal sealed record Computed(string? Head, double Value, string Format, string? Figure = null);

/// <summary>Values of two knobs against each other, colored by their order of magnitude.</summary>
/// <param name="Values">A row for each of the rows, in it a value for each of the columns; null: not measured.</param>
internal sealed record HeatMap(
    string Title,
    string Says,
    string Unit,
    string ColumnName,
    IReadOnlyList<string> Columns,
    string RowName,
    IReadOnlyList<string> Rows,
    IReadOnlyList<IReadOnlyList<double?>> Values
);

/// <summary>Values that are sums: a bar for each, of one piece for each part.</summary>
/// <param name="Parts">In the order in which they are stacked.</param>
internal sealed record StackedBars(
    string Title,
    string Says,
    string Unit,
    IReadOnlyList<string> Parts,
    IReadOnlyList<StackedBar> Bars
);

/// <param name="Values">Of each part; one that it does not have is zero.</param>
internal sealed record StackedBar(string Name, IReadOnlyList<double> Values);
