using System.Text.Json;
using System.Text.Json.Serialization;

namespace DroneDelivery.Lab.Report;

/// <summary>The numbers of a chart and where it drew them, for the page's script: crosshair, table and CSV need them.</summary>
internal static class ChartData
{
    private static readonly JsonSerializerOptions Options =
        new(JsonSerializerDefaults.Web) { DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull };

    /// <remarks>The serializer writes &lt; and &amp; as escapes, so nothing in it can end the script element.</remarks>
    public static Html Of(LineChart chart, Plot plot)
    {
        // Most charts have the same times for all lines: they are written once.
        var shared = chart.Lines.Count > 0 ? Times(chart.Lines[0]) : [];
        var lines = chart.Lines.Select(line => new LineData(
            line.Name,
            line.Colour,
            line.Step ? true : null,
            line.IsDashed ? true : null,
            Times(line).SequenceEqual(shared) ? null : Times(line),
            [.. line.Points.Select(point => double.IsFinite(point.Y) ? Short(point.Y) : (double?)null)]));
        var area = plot.Area;
        return new(JsonSerializer.Serialize(
            new
            {
                unit = chart.Unit,
                origin = chart.Origin is { } origin ? BrowsePage.TimeOf(origin) : null,
                list = chart.Origin is null ? null : chart.Traces,
                area = new[] { area.Left, area.Top, area.Width, area.Height },
                xMax = plot.X.Max,
                yMax = plot.Y.Max,
                x = shared,
                lines,
            },
            Options));
    }

    private static double[] Times(Line line) => [.. line.Points.Select(point => Math.Round(point.X, 2))];

    /// <summary>Four digits are more than any chart shows.</summary>
    private static double Short(double value) => double.Parse($"{value:G4}");

    private sealed record LineData(string Name, string Colour, bool? Step, bool? Dashed, double[]? X, double?[] Y);
}
