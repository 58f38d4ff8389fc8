namespace DroneDelivery.Lab.Report;

/// <summary>A point of a line: x in seconds, y in the chart's unit.</summary>
internal readonly record struct Point(double X, double Y);

/// <param name="Color">Name of a color of charts.css: <c>incoming</c>, <c>outgoing</c>, …</param>
/// <param name="Points">In order of x. A value that is not a number breaks the line.</param>
/// <param name="Step">Horizontal from each point to the next, for what changes in steps.</param>
internal sealed record Line(string Name, string Color, IReadOnlyList<Point> Points, bool Step = false)
{
    /// <summary>What was not measured, such as a prediction.</summary>
    public bool IsDashed { get; init; }

    public string Class => IsDashed ? $"c-{Color} dashed" : $"c-{Color}";

    public Point? Peak =>
        Points.Where(point => double.IsFinite(point.Y)).Select(point => (Point?)point).MaxBy(point => point?.Y);
}

/// <summary>A moment worth a vertical line.</summary>
internal sealed record Mark(double X, string Text);

/// <summary>A value that the lines are compared with: dashed, with its name.</summary>
internal sealed record Threshold(double Y, string Text);

/// <summary>A stretch of time with a name.</summary>
internal sealed record Stretch(double From, double To, string Text);

/// <summary>Lines over time, or over the values of something else.</summary>
/// <param name="Id">Unique on the page; letters, digits and dashes.</param>
/// <param name="Description">What the chart shows, in a sentence: read by everybody, and all that some readers get.</param>
internal sealed record LineChart(
    string Id,
    string Title,
    string Description,
    string Unit,
    IReadOnlyList<Line> Lines,
    IReadOnlyList<Mark> Marks
)
{
    // A threshold's name stands above its line.
    private const double RoomForText = 1.12;

    public IReadOnlyList<Threshold> Thresholds { get; init; } = [];

    public IReadOnlyList<Stretch> Bands { get; init; } = [];

    /// <summary>Seconds that the chart shows at least, so that charts of one stage line up.</summary>
    public double Until { get; init; }

    /// <summary>Twice as wide, with names at the ends of the lines.</summary>
    public bool IsWide { get; init; }

    /// <summary>A line whose highest point is marked with its value; null marks none.</summary>
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

/// <summary>Names of the colors of charts.css, each of which differs from all others.</summary>
internal static class Palette
{
    /// <summary>For lines of equal rank, in this order.</summary>
    public static IReadOnlyList<string> Series { get; } =
    ["incoming", "outgoing", "errors", "users", "backlog", "memory", "quiet", "requests"];

    /// <summary>Gives each line its own color. Lines for which none is left are left out: two alike could not be told apart.</summary>
    public static IReadOnlyList<Line> Paint(IEnumerable<Line> lines) =>
        [.. lines.Zip(Series, (line, color) => line with { Color = color })];

    /// <summary>For lines of which each is a kind of failure.</summary>
    public static IReadOnlyList<string> Failures { get; } =
    ["errors", "backlog", "outgoing", "memory", "users", "quiet", "requests", "incoming"];
}
