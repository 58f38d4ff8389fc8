using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Report;

/// <summary>The curves of a simulation.</summary>
internal sealed class WhatIfCharts
{
    private readonly StagePlan _plan;
    private readonly IReadOnlyList<Bin> _bins;
    private readonly IReadOnlyList<Mark> _marks;

    public WhatIfCharts(StagePlan plan, Measured measured)
    {
        _plan = plan;
        _bins = measured.Series.Bins(plan.BinSeconds, plan.Profile.UsersAt);
        _marks = [new(plan.Profile.PlateauStart, "all users"), new(plan.Profile.DurationSeconds, "load ends")];
    }

    public LineChart Throughput() => Draw(
        "throughput", "Throughput", "messages/s", "Messages that come in, and those that are completed.",
        Rates("incoming", "incoming", bin => bin.Incoming), Rates("completed", "outgoing", bin => bin.Completed)) with
    {
        PeakOf = "completed",
    };

    public LineChart Backlog() => Draw(
        "backlog", "Backlog", "messages", "Messages that are not settled, and dead letters.",
        new Line("not settled", "backlog", [.. _bins.Select(bin => new Point(bin.End, bin.Backlog))]),
        new Line("dead-lettered", "errors", [.. _bins.Select(bin => new Point(bin.End, bin.DeadLetter))]));

    public LineChart LocksLost() => Draw(
        "locks", "Locks lost", "per s", "Settlements that are refused because the lock is over: their work was wasted.",
        Rates("refused", "errors", bin => bin.LockLost));

    public LineChart Nodes() => Draw(
        "nodes", "CPU of the nodes", "%", "The busiest node of each moment, and the mean of all.",
        Rates("busiest node", "errors", bin => bin.Nodes.DefaultIfEmpty(double.NaN).Max() * 100),
        Rates("mean of all nodes", "outgoing", bin => bin.Nodes.DefaultIfEmpty(double.NaN).Average() * 100)) with
    {
        Thresholds = [new(80, "80 %")],
    };

    private LineChart Draw(string id, string title, string unit, string says, params IReadOnlyList<Line> lines) =>
        new($"{id}-chart", title, says, unit, lines, _marks) { Until = _plan.Profile.DurationSeconds };

    /// <summary>A rate belongs to the whole bin: it is drawn at its middle.</summary>
    private Line Rates(string name, string colour, Func<Bin, double> rate) =>
        new(name, colour, [.. _bins.Select(bin => new Point((bin.Start + bin.End) / 2, rate(bin)))]);
}
