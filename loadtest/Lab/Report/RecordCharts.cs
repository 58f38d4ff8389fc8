using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Report;

internal static class RecordCharts
{
    /// <summary>Returns the predicted throughput; empty without a prediction.</summary>
    public static IEnumerable<Line> Predicted(StageRecord stage, double until)
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

    /// <summary>Returns rates at the middle of each interval, because they are its means.</summary>
    public static Line Rates(string name, string color, IEnumerable<Bin> bins, Func<Bin, double> rate) =>
        new(name, color, [.. bins.Select(bin => new Point((bin.Start + bin.End) / 2, rate(bin)))]);
}

/// <summary>Facts about a stage, for charts and sentences.</summary>
internal static class StageFacts
{
    public static IReadOnlyList<Mark> Marks(double plateau, double end) =>
        [new(plateau, "full load"), new(end, "load ends")];

    public static IReadOnlyList<Mark> Marks(StageRecord stage) =>
        Marks(stage.Profile.PlateauStart, stage.Profile.DurationSeconds);

    public static IReadOnlyList<Stretch> Bands(StageRecord stage) =>
        [.. stage.Faults.Select(fault => new Stretch(fault.From, fault.To, fault.Text))];

    public static IReadOnlyList<Point> UserSteps(StageRecord stage) =>
        [
            .. Enumerable
                .Range(0, stage.Profile.MaxUsers)
                .Select(stage.Profile.StartOf)
                .Append(stage.Profile.DurationSeconds)
                .Distinct()
                .Select(at => new Point(at, stage.Profile.UsersAt(at))),
        ];

    public static string InOutText(StageRecord stage) =>
        Known(
            stage,
            $"At full load, {Figure(stage, "incoming.plateau"):0.0} messages per second come in and "
                + $"{Figure(stage, "outgoing.plateau"):0.0} go out."
        );

    public static string ThroughputText(StageRecord stage) =>
        Known(
            stage,
            $"The best 5 seconds complete {Figure(stage, "completed.peak"):0.0} messages per second; "
                + $"{Figure(stage, "completed.underLoad"):N0} are completed under load."
        );

    public static string BacklogText(StageRecord stage) =>
        Known(
            stage,
            $"{Figure(stage, "backlog.loadEnd"):N0} were not settled when the load ended, "
                + $"{Figure(stage, "deadLettered.loadEnd"):N0} were dead-lettered."
        );

    public static string UsersText(StageRecord stage) =>
        $"Users step up to {stage.Profile.MaxUsers}, each with a request every {stage.Profile.RequestEveryMilliseconds:0} ms.";

    public static string NodesText(StageRecord stage) =>
        Known(
            stage,
            $"95th percentile over nodes and time under load: {Figure(stage, "node.p95"):0} %. The nodes are emulated."
        );

    public static string LocksText(StageRecord stage) =>
        Known(stage, $"{Figure(stage, "lockLost"):N0} completions were rejected before the load ended.");

    /// <summary>Returns NaN for metrics that weren't measured.</summary>
    public static double Figure(StageRecord stage, string name) =>
        stage.Figures.GetValueOrDefault(name)?.Value ?? double.NaN;

    /// <summary>Returns the applied value of a setting; 0 if it isn't set.</summary>
    public static double Knob(StageRecord stage, string name) =>
        stage.Knobs.GetValueOrDefault(name) is { } text
        && KnobText.Read(KnobTable.Find(name), text) is { Numbers.Count: > 0 } value
            ? value.Number
            : 0;

    /// <summary>Returns an empty string while the stage is running, because metrics are calculated at the end.</summary>
    private static string Known(StageRecord stage, string text) => stage.Figures.Count == 0 ? "" : text;
}
