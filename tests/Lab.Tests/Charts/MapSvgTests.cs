namespace DroneDelivery.Lab.Tests.Charts;

public sealed class MapSvgTests
{
    private static readonly MapDrawing Map = new(
        "map",
        "Delivery fails.",
        [
            Node("delivery", "3 failed"),
            Node("clients"),
            Node("ingestion"),
            Node("queue"),
            Node("package"),
            Node("workflow"),
            Node("redis"),
        ],
        [
            new("clients", "ingestion", ["100 calls"], null),
            new("ingestion", "queue", [], null),
            new("queue", "workflow", [], null),
            new("workflow", "queue", [], null, IsReply: true),
            new("workflow", "delivery", ["10 calls"], "3 failed"),
            new("workflow", "package", [], null),
            new("delivery", "redis", [], null),
        ]
    );

    [Fact]
    public void Callers_are_drawn_left_of_the_services_that_they_call()
    {
        var layout = new MapLayout(Map);

        Assert.Equal(
            ["clients", "ingestion", "queue", "workflow", "delivery", "package", "redis"],
            Map.Nodes.Select(node => node.Id).OrderBy(layout.Left).ThenBy(id => id, StringComparer.Ordinal)
        );
        Assert.Equal(layout.Left("delivery"), layout.Left("package"));
        Assert.NotEqual(layout.Middle("delivery"), layout.Middle("package"));
        Assert.Equal((layout.Middle("delivery") + layout.Middle("package")) / 2, layout.Middle("workflow"));
    }

    [Fact]
    public void Circular_calls_are_drawn()
    {
        var layout = new MapLayout(
            new("circle", "", [Node("a"), Node("b")], [new("a", "b", [], null), new("b", "a", [], null)])
        );

        Assert.InRange(layout.Width, 1, 10_000);
    }

    private static MapNode Node(string id, string? failures = null) => new(id, id, [], failures);
}
