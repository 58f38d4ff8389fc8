using System.Xml.Linq;

namespace DroneDelivery.Lab.Tests.Charts;

public sealed class ChartSvgTests
{
    private static readonly LineChart Chart = new(
        "in-out",
        "Incoming & outgoing",
        "Incoming rises to 80/s.",
        "messages/s",
        [
            new("incoming", "incoming", [new(0, 0), new(30, 40), new(60, 80)]),
            new("users", "users", [new(0, 2), new(30, 4), new(60, 4)], Step: true),
        ],
        [new(60, "load ends")]
    );

    [Fact]
    public void Lines_span_the_plot_and_ticks_are_round()
    {
        var figure = Draw(Chart);
        var svg = figure.Element("svg")!;

        Assert.Equal(
            ("Incoming & outgoing", "Incoming rises to 80/s."),
            (figure.Element("figcaption")!.Value, svg.Element("desc")!.Value)
        );
        // The plot is 500 wide and 186 high. The value axis ends at 80.
        Assert.Equal(
            [("line c-incoming", "M0 186L250 93L500 0"), ("line c-users", "M0 181.4H250V176.7H500V176.7")],
            svg.Descendants("path").Select(path => (path.Attribute("class")!.Value, path.Attribute("d")!.Value))
        );
        var texts = svg.Descendants("text").Select(text => text.Value).ToList();
        Assert.Equal(["messages/s", "0", "20", "40", "60", "80"], texts.Take(6));
        Assert.Superset(new HashSet<string> { "0:10", "1:00", "load ends" }, texts.ToHashSet());
    }

    [Fact]
    public void Line_breaks_at_a_value_that_is_not_a_number()
    {
        var chart = Chart with
        {
            Lines = [new("a", "incoming", [new(0, 1), new(1, double.NaN), new(2, 1), new(3, 1)])],
        };

        var path = Assert.Single(Draw(chart).Descendants("path")).Attribute("d")!.Value;
        Assert.Equal(2, path.Count(c => c == 'M'));
    }

    [Fact]
    public void Threshold_above_all_lines_is_drawn()
    {
        var figure = Draw(Chart with { Thresholds = [new(150, "lock: 150 s")] });
        var line = figure.Descendants("line").Single(element => element.Attribute("class")!.Value == "threshold");

        Assert.Equal("80.5", line.Attribute("y1")!.Value);
        Assert.Contains(figure.Descendants("text"), text => text.Value == "lock: 150 s");
    }

    [Fact]
    public void Lines_with_different_times_keep_their_own()
    {
        Line means = new("means", "incoming", [new(2.5, 1), new(7.5, 2)]),
            ends = new("ends", "users", [new(5, 3), new(10, 4)]);
        var chart = Chart with { Lines = [means, ends, means with { Name = "more means" }] };

        var data = JsonDocument.Parse(Draw(chart).Element("script")!.Value).RootElement;

        Assert.Equal([2.5, 7.5], data.GetProperty("x").EnumerateArray().Select(value => value.GetDouble()));
        Assert.Equal(
            [5, 10],
            data.GetProperty("lines")[1].GetProperty("x").EnumerateArray().Select(value => value.GetDouble())
        );
        Assert.False(data.GetProperty("lines")[2].TryGetProperty("x", out _));
    }

    [Fact]
    public void Markup_in_a_name_is_encoded()
    {
        var chart = Chart with
        {
            Lines = [new("</script><b>", "incoming", [new(0, 1)]), new("b", "users", [new(0, 1)])],
        };

        Assert.DoesNotContain("<b>", SvgChart.Render(chart).Markup, StringComparison.Ordinal);
        Assert.Equal(
            "</script><b>",
            JsonDocument
                .Parse(Draw(chart).Element("script")!.Value)
                .RootElement.GetProperty("lines")[0]
                .GetProperty("name")
                .GetString()
        );
    }

    [Theory]
    [InlineData(81.6, 100)]
    [InlineData(17.2, 20)]
    [InlineData(3.1, 4)]
    [InlineData(25_000, 25_000)]
    [InlineData(0.7, 0.8)]
    public void Value_axis_ends_at_a_round_number(double max, double end) =>
        Assert.Equal(end, Scale.OfValues(max, 100).Max, 9);

    [Fact]
    public void Time_axis_has_at_most_eight_steps() =>
        Assert.Equal([0, 60, 120, 180, 240], Scale.OfTime(255, 100).Ticks);

    [Fact]
    public void Labels_of_lines_that_end_together_do_not_overlap()
    {
        var places = EndLabels.Apart([100, 100, 101, 180], floor: 120);

        Assert.Equal([87, 98, 109, 120], places);
    }

    private static XElement Draw(LineChart chart) => XElement.Parse(SvgChart.Render(chart).Markup);
}
