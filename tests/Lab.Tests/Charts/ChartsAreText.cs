using System.Xml.Linq;
using DroneDelivery.Lab.Charts;

namespace DroneDelivery.Lab.Tests.Charts;

public sealed class ChartsAreText
{
    private static readonly LineChart Chart = new(
        "in-out", "Incoming & outgoing", "Incoming rises to 80/s.", "messages/s",
        [
            new("incoming", "incoming", [new(0, 0), new(30, 40), new(60, 80)]),
            new("users", "users", [new(0, 2), new(30, 4), new(60, 4)], Step: true),
        ],
        [new(60, "load ends")]);

    [Fact]
    public void It_is_well_formed_and_tells_those_who_cannot_see_it()
    {
        var figure = XElement.Parse(SvgChart.Render(Chart));
        var svg = figure.Element("svg")!;

        Assert.Equal("Incoming & outgoing", figure.Element("figcaption")!.Value);
        Assert.Equal("img", svg.Attribute("role")!.Value);
        Assert.Equal("in-out-title in-out-desc", svg.Attribute("aria-labelledby")!.Value);
        Assert.Equal("Incoming rises to 80/s.", svg.Element("desc")!.Value);
        Assert.Equal(["incoming", "users"], figure.Element("ul")!.Elements("li").Select(item => item.Value));
    }

    [Fact]
    public void Lines_run_from_axis_to_axis()
    {
        var paths = XElement.Parse(SvgChart.Render(Chart)).Descendants("path").ToDictionary(path => path.Attribute("class")!.Value, path => path.Attribute("d")!.Value);

        // 64 is the left edge, 708 the right one, 256 the zero line, 14 the top of the axis, which ends at 80.
        Assert.Equal("M64 256L386 135L708 14", paths["line incoming"]);
        Assert.StartsWith("M64 250H386V243.9H708", paths["line users"], StringComparison.Ordinal);
    }

    [Fact]
    public void Ticks_are_round_numbers_and_times_of_a_clock()
    {
        var texts = XElement.Parse(SvgChart.Render(Chart)).Descendants("text").Select(text => text.Value).ToList();

        Assert.Equal(["0", "20", "40", "60", "80"], texts.Take(5));
        Assert.Contains("0:10", texts);
        Assert.Contains("1:00", texts);
        Assert.Contains("load ends", texts);
    }

    [Fact]
    public void A_value_that_is_not_a_number_breaks_the_line()
    {
        var chart = Chart with { Lines = [new("a", "incoming", [new(0, 1), new(1, double.NaN), new(2, 1), new(3, 1)])] };

        var path = Assert.Single(XElement.Parse(SvgChart.Render(chart)).Descendants("path")).Attribute("d")!.Value;
        Assert.Equal(2, path.Count(c => c == 'M'));
    }

    [Theory]
    [InlineData(81.6, 100)]
    [InlineData(17.2, 20)]
    [InlineData(3.1, 4)]
    [InlineData(25_000, 25_000)]
    [InlineData(0.7, 0.8)]
    public void The_value_axis_ends_at_a_round_number(double max, double end) => Assert.Equal(end, Scale.OfValues(max, 100).Max, 9);

    [Fact]
    public void Every_colour_of_a_line_is_in_the_style_sheet() =>
        Assert.All(["incoming", "outgoing", "completed", "users", "backlog", "errors"], colour => Assert.Contains($".line.{colour} ", ChartStyle.Css, StringComparison.Ordinal));
}
