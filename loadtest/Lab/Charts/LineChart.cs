namespace DroneDelivery.Lab.Charts;

/// <summary>A point of a line: x in seconds, y in the chart's unit.</summary>
internal readonly record struct Point(double X, double Y);

/// <summary>One line of a chart.</summary>
/// <param name="Name">In the legend.</param>
/// <param name="Colour">Name of a style-sheet colour: <c>incoming</c>, <c>outgoing</c>, … (<see cref="ChartStyle"/>).</param>
/// <param name="Points">In order of x. A value that is not a number breaks the line.</param>
/// <param name="Step">Horizontal from each point to the next, for what changes in steps.</param>
internal sealed record Line(string Name, string Colour, IReadOnlyList<Point> Points, bool Step = false);

/// <summary>A moment worth a vertical line.</summary>
internal sealed record Mark(double X, string Text);

/// <summary>Lines over time.</summary>
/// <param name="Id">Unique on the page; letters and dashes.</param>
/// <param name="Description">What a reader who cannot see the chart should know, in a sentence.</param>
internal sealed record LineChart(string Id, string Title, string Description, string YLabel, IReadOnlyList<Line> Lines, IReadOnlyList<Mark> Marks)
{
    public double XMax => Math.Max(1, Lines.SelectMany(line => line.Points).Select(point => point.X).DefaultIfEmpty(1).Max());

    public double YMax => Math.Max(1e-9, Lines.SelectMany(line => line.Points).Select(point => point.Y).Where(double.IsFinite).DefaultIfEmpty(1).Max());
}
