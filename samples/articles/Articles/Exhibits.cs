using System.Globalization;
using DroneDelivery.Lab;

namespace DroneDelivery.Articles;

/// <summary>The results of a variant.</summary>
/// <param name="Figures">Values by the names that checks use.</param>
internal sealed record Exhibits(IReadOnlyDictionary<string, double> Figures)
{
    public IReadOnlyList<ExperimentTable> Tables { get; init; } = [];

    public IReadOnlyList<ExperimentChart> Charts { get; init; } = [];

    /// <summary>Creates the results of an emulated variant, whose name is the prefix of its values.</summary>
    public static Exhibits Of(Variant variant, string says, IReadOnlyList<Computed> computed, ExperimentChart chart)
    {
        var columns = computed.Where(it => it.Head is not null).ToList();
        IReadOnlyList<string> row =
        [
            .. columns.Select(it => it.Value.ToString(it.Format, CultureInfo.InvariantCulture)),
        ];
        return new(
            computed
                .Where(it => it.Figure is not null)
                .ToDictionary(it => $"{variant.Name}.{it.Figure}", it => it.Value)
        )
        {
            Tables = [new(variant.Title, says, [.. columns.Select(it => it.Head + "#")], [row])],
            Charts = [chart],
        };
    }
}

/// <summary>A value that an emulation computes.</summary>
/// <param name="Head">The column header; <c>null</c> for none.</param>
/// <param name="Figure">The name in checks; <c>null</c> for none.</param>
internal sealed record Computed(string? Head, double Value, string Format, string? Figure = null);

/// <summary>A table of strings. A header that ends in <c>#</c> marks a numeric column.</summary>
internal sealed record ExperimentTable(
    string Title,
    string Says,
    IReadOnlyList<string> Head,
    IReadOnlyList<IReadOnlyList<string>> Rows
)
{
    public Table ToTable() => Table.Of(Title, Head, Rows, row => [.. row.Select(text => (Cell)text)]);
}

/// <summary>A line chart over time.</summary>
/// <param name="Query">The file in loadtest/queries that measures the same in telemetry, without <c>.kql</c>; <c>null</c> for none.</param>
internal sealed record ExperimentChart(
    string Title,
    string Says,
    string Unit,
    IReadOnlyList<ChartLine> Lines,
    string? Query = null
);

internal sealed record ChartLine(string Name, IReadOnlyList<double> Seconds, IReadOnlyList<double> Values);
