using System.Globalization;
using DroneDelivery.Lab.Charts;
using DroneDelivery.Lab.Measurement;

namespace DroneDelivery.Lab.Runs;

/// <summary>The charts of one run.</summary>
internal static class RunCharts
{
    public static IEnumerable<LineChart> Of(RunRecord run)
    {
        Mark[] marks = [new(run.Profile.DurationSeconds, "load ends")];
        yield return new("in-out", "Incoming and outgoing messages", InOut(run), "messages/s",
            [Rates("incoming", "incoming", run, bin => bin.Incoming), Rates("outgoing", "outgoing", run, bin => bin.Outgoing)], marks);
        yield return new("throughput", "Throughput: messages completed", Invariant($"The best 5 s completed {Figure(run, "completed.peak"):0.0} messages per second."), "messages/s",
            [Rates(Invariant($"completed, bins of {run.BinSeconds} s"), "completed", run, bin => bin.Completed)], marks);
        yield return new("users", "Users", Invariant($"Users step up to {run.Profile.MaxUsers}."), "users",
            [new("users", "users", [.. run.Series.Select(bin => new Point(bin.Start, bin.Users))], Step: true)], marks);
        yield return new("backlog", "Backlog: messages not settled", Invariant($"{Figure(run, "backlog.loadEnd"):0} messages were left when the load ended."), "messages",
            [new("backlog", "backlog", [.. run.Series.Select(bin => new Point(bin.End, bin.Backlog))])], marks);
    }

    private static string InOut(RunRecord run) =>
        Invariant($"With all users {Figure(run, "incoming.plateau"):0.0} messages per second come in and {Figure(run, "outgoing.plateau"):0.0} go out.");

    /// <summary>A rate belongs to the whole bin: it is drawn at its middle.</summary>
    private static Line Rates(string name, string colour, RunRecord run, Func<Bin, double> rate) =>
        new(name, colour, [.. run.Series.Select(bin => new Point((bin.Start + bin.End) / 2, rate(bin)))]);

    private static double Figure(RunRecord run, string name) => run.Figures[name].Value;

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
