namespace DroneDelivery.Lab.Report;

/// <summary>A point of a line: x in seconds, y in the chart's unit.</summary>
internal readonly record struct Point(double X, double Y);

/// <param name="Color">A color of charts.css: <c>incoming</c>, <c>outgoing</c>, …</param>
/// <param name="Points">In order of x. NaN interrupts the line.</param>
/// <param name="Step">Whether values change in steps.</param>
internal sealed record Line(string Name, string Color, IReadOnlyList<Point> Points, bool Step = false)
{
    /// <summary>Whether the values weren't measured, such as a prediction.</summary>
    public bool IsDashed { get; init; }

    public string Class => IsDashed ? $"c-{Color} dashed" : $"c-{Color}";

    public Point? Peak =>
        Points.Where(point => double.IsFinite(point.Y)).Select(point => (Point?)point).MaxBy(point => point?.Y);
}

internal sealed record Mark(double X, string Text);

/// <summary>A dashed, named horizontal line.</summary>
internal sealed record Threshold(double Y, string Text);

internal sealed record Stretch(double From, double To, string Text);

/// <param name="Description">A sentence; screen readers have only this text.</param>
internal sealed record LineChart(
    string Id,
    string Title,
    string Description,
    string Unit,
    IReadOnlyList<Line> Lines,
    IReadOnlyList<Mark> Marks
)
{
    // A threshold's name is above its line.
    private const double RoomForText = 1.12;

    public IReadOnlyList<Threshold> Thresholds { get; init; } = [];

    public IReadOnlyList<Stretch> Bands { get; init; } = [];

    /// <summary>The minimum range in seconds, which aligns the charts of a stage.</summary>
    public double Until { get; init; }

    /// <summary>Whether the chart has double width, with labels at the ends of the lines.</summary>
    public bool IsWide { get; init; }

    /// <summary>The line whose peak is labeled, or <c>null</c>.</summary>
    public string? PeakOf { get; init; }

    public double XMax => Math.Max(Math.Max(1, Until), Points.Select(point => point.X).DefaultIfEmpty(1).Max());

    public double YMax =>
        Math.Max(
            1e-9,
            Points
                .Select(point => point.Y)
                .Where(double.IsFinite)
                .Concat(Thresholds.Select(threshold => threshold.Y * RoomForText))
                .DefaultIfEmpty(1)
                .Max()
        );

    public bool HasPoints => Points.Any(point => double.IsFinite(point.Y));

    private IEnumerable<Point> Points => Lines.SelectMany(line => line.Points);
}

/// <summary>The colors of charts.css, all distinguishable.</summary>
internal static class Palette
{
    /// <summary>Colors for lines of equal rank.</summary>
    public static IReadOnlyList<string> Series { get; } =
    ["incoming", "outgoing", "errors", "users", "backlog", "memory", "quiet", "requests"];

    /// <summary>Assigns colors, and drops lines for which none is left.</summary>
    public static IReadOnlyList<Line> Paint(IEnumerable<Line> lines) =>
        [.. lines.Zip(Series, (line, color) => line with { Color = color })];

    public static IReadOnlyList<string> Failures { get; } =
    ["errors", "backlog", "outgoing", "memory", "users", "quiet", "requests", "incoming"];
}
