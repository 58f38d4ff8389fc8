using DroneDelivery.Lab.Judge;
using DroneDelivery.Model.Figures;
using static DroneDelivery.Lab.Report.StageFacts;

namespace DroneDelivery.Lab.Report;

/// <summary>The charts of a stage without telemetry: drawn from the samples in the run's record.</summary>
internal static class RecordCharts
{
    public static IEnumerable<Panel> Of(StageRecord stage)
    {
        yield return Draw(stage, "in-out", "Incoming and outgoing messages", InOutText(stage), "messages/s",
            Values("incoming", "incoming", stage, bin => bin.Incoming), Values("outgoing", "outgoing", stage, bin => bin.Outgoing));
        yield return Draw(stage, "throughput", "Throughput: messages completed", ThroughputText(stage), "messages/s",
            [.. Predicted(stage), Values("completed", "outgoing", stage, bin => bin.Completed)]);
        yield return Draw(stage, "users", "User load", UsersText(stage), "users", new Line("users", "users", UserSteps(stage), Step: true));
        yield return Draw(stage, "backlog", "Messages in the queue", BacklogText(stage), "messages",
            new Line("not settled", "backlog", [.. stage.Series.Select(bin => new Point(bin.End, bin.Backlog))]),
            new Line("dead-lettered", "errors", [.. stage.Series.Select(bin => new Point(bin.End, bin.DeadLetter))]));
        if (stage.Series.Any(bin => bin.LockLost > 0))
        {
            yield return Draw(stage, "locks", "Settlements refused because the lock had expired", "Their work was wasted.", "per s",
                Values("refused", "errors", stage, bin => bin.LockLost));
        }
        if (stage.Series.Any(bin => bin.Nodes.Count > 0))
        {
            yield return Draw(stage, "nodes", "CPU of the nodes", NodesText(stage), "%",
                Values("busiest node", "errors", stage, bin => bin.Nodes.Max() * 100),
                Values("mean of all nodes", "outgoing", stage, bin => bin.Nodes.Average() * 100));
        }
    }

    /// <summary>The throughput as a line of the chart of all stages.</summary>
    public static IReadOnlyList<Point> Completed(StageRecord stage) => Values("", "", stage, bin => bin.Completed).Points;

    /// <summary>The predicted throughput, to be drawn behind the measured one; none where nobody predicts it.</summary>
    /// <param name="until">Seconds: where the chart ends.</param>
    public static IEnumerable<Line> Predicted(StageRecord stage, double until = double.PositiveInfinity)
    {
        if (stage.PredictedSeries.Count == 0)
            yield break;
        var points = stage.PredictedSeries
            .Where(bin => bin.End <= until)
            .Select(bin => new Point((bin.Start + bin.End) / 2, bin.Completed));
        yield return new("predicted", "quiet", [.. points]) { IsDashed = true };
    }

    private static Panel Draw(StageRecord stage, string id, string title, string says, string unit, params IReadOnlyList<Line> lines) =>
        new(
            new($"{id}-{stage.Stage}", title, says, unit, lines, Marks(stage)) { Bands = Bands(stage) }, null);

    /// <summary>A rate belongs to the whole bin: it is drawn at its middle.</summary>
    public static Line Values(string name, string colour, StageRecord stage, Func<Bin, double> rate) =>
        new(name, colour, [.. stage.Series.Select(bin => new Point((bin.Start + bin.End) / 2, rate(bin)))]);
}
