using System.Globalization;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Tests.Charts;

/// <summary>The colors of charts.css, for normal vision and for people without red or green receptors.</summary>
public sealed class ColorTests
{
    /// <summary>
    /// The CIE 1976 distance at which two thin lines are easy to distinguish. With adjacent areas, 2.3 is just
    /// noticeable.
    /// </summary>
    private const double FarApart = 20;

    // Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision Deficiency (2009),
    // severity 1.
    private static readonly Dictionary<string, double[][]> Viewers = new()
    {
        ["most people"] =
        [
            [1, 0, 0],
            [0, 1, 0],
            [0, 0, 1],
        ],
        ["protanopia"] =
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        ["deuteranopia"] =
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    };

    public static TheoryData<string, string> Cases =>
        new(from page in new[] { "light", "dark" } from viewer in Viewers.Keys select (page, viewer));

    [Theory, MemberData(nameof(Cases))]
    public void Lines_of_a_chart_have_distinguishable_colors(string page, string viewer)
    {
        var colors = Colors(page).ToDictionary(color => color.Key, color => Lab(Seen(color.Value, Viewers[viewer])));

        var near =
            from a in Palette.Series
            from b in Palette.Series
            where string.CompareOrdinal(a, b) < 0 && Distance(colors[a], colors[b]) < FarApart
            select $"{a} and {b}: {Distance(colors[a], colors[b]):0.#}";

        Assert.Empty(near);
    }

    [Fact]
    public void Each_stage_and_failure_has_its_own_color()
    {
        var ofStages = Regex.Matches(Css(), @"--stage-\d: var\(--([a-z]+)\);").Select(match => match.Groups[1].Value);

        Assert.Equal(Palette.Series.Order(), ofStages.Order());
        Assert.Equal(Palette.Series.Order(), Palette.Failures.Order());
    }

    [Fact]
    public void Lines_without_a_color_are_omitted_with_a_note()
    {
        var rows = Enumerable
            .Range(0, 20)
            .Select(i => $"(print t = datetime(2030-01-01T00:00:0{i % 2}), n = '{(char)('a' + i / 2)}', v = {i})");
        var found = KqlQuery.Parse($"union {string.Join(", ", rows)}").Run(new([]), cancellationToken: Cancel);
        var answer = AnswerPage.Render(found).Markup;

        Assert.Equal(
            Palette.Series,
            Regex.Matches(answer, "<path class=\"line c-([a-z]+)\"").Select(match => match.Groups[1].Value)
        );
        Assert.Contains("The first 8 of 10 lines are shown.", answer, StringComparison.Ordinal);
    }

    private static string Css() =>
        File.ReadAllText(Path.Combine(Repository.Root, "loadtest", "Lab", "Report", "Charts", "charts.css"));

    /// <summary>
    /// Returns red, green, and blue from 0 to 255, by name. The dark page's colors follow its media query.
    /// </summary>
    private static Dictionary<string, double[]> Colors(string page)
    {
        var css = Css();
        var dark = css.IndexOf("prefers-color-scheme: dark", StringComparison.Ordinal);
        return Regex
            .Matches(page == "dark" ? css[dark..] : css[..dark], "--([a-z]+): #([0-9a-f]{6});")
            .ToDictionary(
                match => match.Groups[1].Value,
                match => Enumerable.Range(0, 3).Select(i => OfHex(match.Groups[2].ValueSpan.Slice(2 * i, 2))).ToArray()
            );
    }

    private static double OfHex(ReadOnlySpan<char> digits) =>
        int.Parse(digits, NumberStyles.HexNumber, CultureInfo.InvariantCulture);

    private static double[] Seen(double[] color, double[][] viewer)
    {
        var linear = color
            .Select(value => value / 255)
            .Select(value => value <= 0.04045 ? value / 12.92 : Math.Pow((value + 0.055) / 1.055, 2.4))
            .ToArray();
        return [.. viewer.Select(row => Math.Clamp(row.Zip(linear, (a, b) => a * b).Sum(), 0, 1))];
    }

    // From sRGB under D65 to CIELAB.
    private static double[] Lab(double[] linear)
    {
        var (red, green, blue) = (linear[0], linear[1], linear[2]);
        var x = F((0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047);
        var y = F(0.2126729 * red + 0.7151522 * green + 0.0721750 * blue);
        var z = F((0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883);
        return [116 * y - 16, 500 * (x - y), 200 * (y - z)];

        static double F(double t) => t > 0.008856 ? Math.Cbrt(t) : 7.787 * t + 16.0 / 116;
    }

    private static double Distance(double[] a, double[] b) => Math.Sqrt(a.Zip(b, (x, y) => (x - y) * (x - y)).Sum());
}
