using System.Globalization;
using DroneDelivery.Lab.Charts;
using DroneDelivery.Lab.Measurement;

namespace DroneDelivery.Lab.Runs;

/// <summary>The charts of a run.</summary>
internal static class RunCharts
{
    /// <summary>The throughput of all stages on one axis; none for a single stage.</summary>
    public static IEnumerable<LineChart> Of(RunRecord run)
    {
        var stages = run.Stages.Where(stage => stage.HalfOf is null || run.Stages.All(other => other.Stage != stage.HalfOf)).ToList();
        if (stages.Count < 2)
            yield break;
        var peaks = stages.Where(stage => stage.Figures.Count > 0).Select(stage => Invariant($"stage {stage.Stage}: {Figure(stage, "completed.peak"):0.0}/s"));
        yield return new("throughput-of-all", "Throughput of all stages: messages completed", $"Best 5 s of each: {string.Join(", ", peaks)}.", "messages/s",
            [.. stages.Select((stage, i) => Rates($"stage {stage.Stage}", $"stage-{i % ChartStyle.StageColours}", stage, bin => bin.Completed))], []);
    }

    public static IEnumerable<LineChart> Of(StageRecord stage)
    {
        Mark[] marks = [new(stage.Profile.DurationSeconds, "load ends")];
        string Id(string chart) => $"{chart}-{stage.Stage}";
        yield return new(Id("in-out"), "Incoming and outgoing messages", InOut(stage), "messages/s",
            [Rates("incoming", "incoming", stage, bin => bin.Incoming), Rates("outgoing", "outgoing", stage, bin => bin.Outgoing)], marks);
        yield return new(Id("throughput"), "Throughput: messages completed", Invariant($"The best 5 s completed {Figure(stage, "completed.peak"):0.0} messages per second."), "messages/s",
            [Rates(Invariant($"completed, bins of {stage.BinSeconds} s"), "completed", stage, bin => bin.Completed)], marks);
        yield return new(Id("users"), "Users", Invariant($"Users step up to {stage.Profile.MaxUsers}."), "users",
            [new("users", "users", [.. stage.Series.Select(bin => new Point(bin.Start, bin.Users))], Step: true)], marks);
        yield return new(Id("backlog"), "Backlog: messages not settled", Invariant($"{Figure(stage, "backlog.loadEnd"):0} messages were left when the load ended."), "messages",
            [new("backlog", "backlog", [.. stage.Series.Select(bin => new Point(bin.End, bin.Backlog))])], marks);
        if (stage.Series.Any(bin => bin.Nodes.Count > 0))
            yield return new(Id("nodes"), "CPU of the virtual nodes", Invariant($"95th percentile under load: {Figure(stage, "node.p95"):0} %."), "%",
                [Rates("busiest node", "errors", stage, bin => bin.Nodes.Max() * 100), Rates("mean of all nodes", "outgoing", stage, bin => bin.Nodes.Average() * 100), Rates("the real machine", "users", stage, bin => bin.Machine * 100)], marks);
        if (stage.Series.Any(bin => bin.LockLost > 0))
            yield return new(Id("locks"), "Locks lost", Invariant($"{Figure(stage, "lockLost"):0} completions were refused because the lock was over."), "per s",
                [Rates("settlements and renewals refused", "errors", stage, bin => bin.LockLost)], marks);
    }

    private static string InOut(StageRecord stage) =>
        Invariant($"With all users {Figure(stage, "incoming.plateau"):0.0} messages per second come in and {Figure(stage, "outgoing.plateau"):0.0} go out.");

    /// <summary>A rate belongs to the whole bin: it is drawn at its middle.</summary>
    private static Line Rates(string name, string colour, StageRecord stage, Func<Bin, double> rate) =>
        new(name, colour, [.. stage.Series.Select(bin => new Point((bin.Start + bin.End) / 2, rate(bin)))]);

    private static double Figure(StageRecord stage, string name) => stage.Figures.GetValueOrDefault(name)?.Value ?? double.NaN;

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
