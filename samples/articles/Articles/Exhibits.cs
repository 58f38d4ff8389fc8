using System.Globalization;
using DroneDelivery.Lab;

namespace DroneDelivery.Articles;

/// <summary>What one variant shows.</summary>
/// <param name="Figures">Name → value, as the checks name them.</param>
internal sealed record Exhibits(IReadOnlyDictionary<string, double> Figures)
{
    public IReadOnlyList<ExperimentTable> Tables { get; init; } = [];

    public IReadOnlyList<ExperimentChart> Charts { get; init; } = [];

    /// <summary>Of an emulated variant, whose name precedes those of its figures.</summary>
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

/// <summary>A number that an emulation computes.</summary>
/// <param name="Head">Of its column; null: it has none.</param>
/// <param name="Figure">As the checks name it; null: they do not.</param>
internal sealed record Computed(string? Head, double Value, string Format, string? Figure = null);

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

/// <summary>Lines over time.</summary>
/// <param name="Query">The file of loadtest/queries that counts the same in telemetry, without <c>.kql</c>; null: none.</param>
internal sealed record ExperimentChart(
    string Title,
    string Says,
    string Unit,
    IReadOnlyList<ChartLine> Lines,
    string? Query = null
);

internal sealed record ChartLine(string Name, IReadOnlyList<double> Seconds, IReadOnlyList<double> Values);
