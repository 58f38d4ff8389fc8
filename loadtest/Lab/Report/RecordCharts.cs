using DroneDelivery.Lab.Judge;
using DroneDelivery.Model.Figures;
using static DroneDelivery.Lab.Report.StageFacts;

namespace DroneDelivery.Lab.Report;

/// <summary>The charts of a stage without telemetry: drawn from the samples in the run's record.</summary>
internal static class RecordCharts
{
    public static IEnumerable<Panel> Of(StageRecord stage) =>
    [
        Draw(stage, "in-out", "Incoming and outgoing messages", InOutText(stage), "messages/s",
            Rates("incoming", "incoming", stage.Series, bin => bin.Incoming),
            Rates("outgoing", "outgoing", stage.Series, bin => bin.Outgoing)),
        Draw(stage, "throughput", "Throughput: messages completed", ThroughputText(stage), "messages/s",
            [.. Predicted(stage), Rates("completed", "outgoing", stage.Series, bin => bin.Completed)]),
        Draw(stage, "users", "User load", UsersText(stage), "users", new Line("users", "users", UserSteps(stage), Step: true)),
        Draw(stage, "backlog", "Messages in the queue", BacklogText(stage), "messages", Backlog(stage.Series)),
        Draw(stage, "locks", "Settlements refused because the lock had expired", "Their work was wasted.", "per s",
            stage.Series.Any(bin => bin.LockLost > 0) ? [Refused(stage.Series)] : []),
        Draw(stage, "nodes", "CPU of the nodes", NodesText(stage), "%", Nodes(stage.Series)),
    ];

    /// <summary>The throughput as a line of the chart of all stages.</summary>
    public static IReadOnlyList<Point> Completed(StageRecord stage) => Rates("", "", stage.Series, bin => bin.Completed).Points;

    /// <summary>The predicted throughput, to be drawn behind the measured one; none where nobody predicts it.</summary>
    /// <param name="until">Seconds: where the chart ends.</param>
    public static IEnumerable<Line> Predicted(StageRecord stage, double until = double.PositiveInfinity)
    {
        var bins = stage.PredictedSeries.Where(bin => bin.End <= until);
        var points = bins.Select(bin => new Point((bin.Start + bin.End) / 2, bin.Completed));
        return stage.PredictedSeries.Count == 0 ? [] : [new("predicted", "quiet", [.. points]) { IsDashed = true }];
    }

    public static IReadOnlyList<Line> Backlog(IReadOnlyList<Bin> bins) =>
    [
        new("not settled", "backlog", [.. bins.Select(bin => new Point(bin.End, bin.Backlog))]),
        new("dead-lettered", "errors", [.. bins.Select(bin => new Point(bin.End, bin.DeadLetter))]),
    ];

    public static Line Refused(IReadOnlyList<Bin> bins) => Rates("refused", "errors", bins, bin => bin.LockLost);

    public static IReadOnlyList<Line> Nodes(IReadOnlyList<Bin> bins) =>
    [
        Rates("busiest node", "errors", bins, Busiest),
        Rates("mean of all nodes", "outgoing", bins, bin => bin.Nodes.DefaultIfEmpty(double.NaN).Average() * 100),
    ];

    public static double Busiest(Bin bin) => bin.Nodes.DefaultIfEmpty(double.NaN).Max() * 100;

    /// <summary>A rate belongs to the whole bin: it is drawn at its middle.</summary>
    public static Line Rates(string name, string colour, IEnumerable<Bin> bins, Func<Bin, double> rate) =>
        new(name, colour, [.. bins.Select(bin => new Point((bin.Start + bin.End) / 2, rate(bin)))]);

    private static Panel Draw(StageRecord stage, string id, string title, string says, string unit, params IReadOnlyList<Line> lines) =>
        new(new($"{id}-{stage.Stage}", title, says, unit, lines, Marks(stage)) { Bands = Bands(stage) }, null);
}
