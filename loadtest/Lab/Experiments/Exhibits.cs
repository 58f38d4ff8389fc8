namespace DroneDelivery.Lab.Experiments;

/// <summary>Text in rows; a head that ends in <c>#</c> is of a column of numbers.</summary>
internal sealed record ExperimentTable(string Title, string Says, IReadOnlyList<string> Head, IReadOnlyList<IReadOnlyList<string>> Rows);

/// <summary>Values of two knobs against each other, coloured by their order of magnitude.</summary>
/// <param name="Says">What is to be seen, in a sentence.</param>
/// <param name="Values">A row for each of the rows, in it a value for each of the columns; null: not measured.</param>
internal sealed record HeatMap(
    string Title,
    string Says,
    string Unit,
    string ColumnName,
    IReadOnlyList<string> Columns,
    string RowName,
    IReadOnlyList<string> Rows,
    IReadOnlyList<IReadOnlyList<double?>> Values);

/// <summary>Lines over time.</summary>
/// <param name="Says">What is to be seen, in a sentence.</param>
/// <param name="Query">The file of loadtest/queries that answered with the lines, without <c>.kql</c>; null: none did.</param>
internal sealed record ExperimentChart(
    string Title, string Says, string Unit, IReadOnlyList<ExperimentLine> Lines, string? Query = null);

/// <param name="Seconds">Of each point, in order.</param>
internal sealed record ExperimentLine(string Name, IReadOnlyList<double> Seconds, IReadOnlyList<double> Values);

/// <summary>Values that are sums: a bar for each, of one piece for each part.</summary>
/// <param name="Says">What is to be seen, in a sentence.</param>
/// <param name="Parts">In the order in which they are stacked.</param>
internal sealed record StackedBars(string Title, string Says, string Unit, IReadOnlyList<string> Parts, IReadOnlyList<StackedBar> Bars);

/// <param name="Values">Of each part; one that it does not have is zero.</param>
internal sealed record StackedBar(string Name, IReadOnlyList<double> Values);

/// <summary>What one variant showed.</summary>
/// <param name="Figures">Name → value, as the checks name them.</param>
internal sealed record Exhibits(IReadOnlyDictionary<string, double> Figures)
{
    public IReadOnlyList<ExperimentTable> Tables { get; init; } = [];

    public IReadOnlyList<HeatMap> HeatMaps { get; init; } = [];

    public IReadOnlyList<ExperimentChart> Charts { get; init; } = [];

    public IReadOnlyList<StackedBars> Bars { get; init; } = [];
}
