namespace DroneDelivery.Lab.Report;

/// <summary>The names of lines beside their last points, moved apart where lines end close together.</summary>
internal static class EndLabels
{
    private const double LineHeight = 11;

    public static IEnumerable<Html> Of(LineChart chart, Plot plot)
    {
        var labels = chart.Lines
            .Select((line, i) => (Line: line, Number: i, End: EndOf(line)))
            .Where(label => !double.IsNaN(label.End.Y))
            .OrderBy(label => plot.AtY(label.End.Y)).ThenBy(label => label.Number)
            .ToList();
        var places = Apart([.. labels.Select(label => plot.AtY(label.End.Y))], plot.Floor);
        return labels.Select((label, i) => Html.Of(
            $"""<text class="end c-{label.Line.Colour}" data-line="{label.Number}" x="{plot.Right + 6:0.#}" y="{places[i] + 3:0.#}">"""
            + $"""{label.Line.Name}</text>"""));
    }

    private static Point EndOf(Line line) => line.Points.LastOrDefault(point => double.IsFinite(point.Y), new(0, double.NaN));

    /// <summary>Down first, so that none overlaps; then what has gone below the floor up again.</summary>
    internal static double[] Apart(double[] wanted, double floor)
    {
        var places = wanted.ToArray();
        for (var i = 1; i < places.Length; i++)
            places[i] = Math.Max(places[i], places[i - 1] + LineHeight);
        for (var i = places.Length - 1; i >= 0; i--)
            places[i] = Math.Min(places[i], i == places.Length - 1 ? floor : places[i + 1] - LineHeight);
        return places;
    }
}
