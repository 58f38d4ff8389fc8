using DroneDelivery.Lab.Judge;
using DroneDelivery.Model.Figures;
using static DroneDelivery.Lab.Report.StageFacts;

namespace DroneDelivery.Lab.Report;

/// <summary>A chart and its query, or <c>null</c> if it shows the run's record.</summary>
internal sealed record Panel(LineChart Chart, Answer? Source);

/// <summary>The charts of a stage, from files of loadtest/queries or from the samples in its record.</summary>
/// <param name="stage"><c>null</c> if no stage is running.</param>
internal sealed class StageCharts(StageRecord? stage, StageTelemetry? telemetry)
{
    private const double Mebi = 1024 * 1024;

    private bool ShowsCauses => stage is { WhyHidden: null };

    public IEnumerable<Panel> All() => Every().Where(panel => panel.Chart.HasPoints);

    /// <summary>Returns all charts; fewer for an application without load.</summary>
    public IEnumerable<Panel> Every() =>
        stage is null ? [InOut(), Throughput(), Backlog(), CompletedAge()]
        : telemetry is null ? [InOut(), Throughput(), Users(), Backlog(), LocksLost(), NodeCpu()]
        :
        [
            InOut(),
            Throughput(),
            Users(),
            ClientLatency(),
            ClientErrors(),
            Backlog(),
            BufferWait(),
            Buffer(),
            MessageAge(),
            CompletedAge(),
            LocksLost(),
            NodeCpu(),
            RedisMemory(),
        ];

    public IReadOnlyList<Point> Completed() =>
        telemetry is null ? OfBins("", "", bin => bin.Completed).Points : Rows("throughput").Rates("succeeded");

    private Panel InOut() =>
        Draw(
            "in-out",
            $"Incoming and outgoing messages{(telemetry is null ? "" : ", over 10 s")}",
            "messages/s",
            InOutText,
            "incoming-outgoing",
            rows =>
                [
                    new("incoming", "incoming", rows.Points("incoming")),
                    new("outgoing", "outgoing", rows.Points("outgoing")),
                ],
            () =>
                [
                    OfBins("incoming", "incoming", bin => bin.Incoming),
                    OfBins("outgoing", "outgoing", bin => bin.Outgoing),
                ],
            chart => chart with { PeakOf = "outgoing" }
        );

    private Panel Throughput() =>
        Draw(
            "throughput",
            "Throughput: messages completed",
            "messages/s",
            ThroughputText,
            "throughput",
            rows =>
                rows.Rates("failed") is var failed && failed.Any(point => point.Y > 0)
                    ?
                    [
                        .. Predicted(),
                        new("completed", "outgoing", rows.Rates("succeeded")),
                        new("refused", "errors", failed),
                    ]
                    : [.. Predicted(), new("completed", "outgoing", rows.Rates("succeeded"))],
            () => [.. Predicted(), OfBins("completed", "outgoing", bin => bin.Completed)],
            chart => chart with { PeakOf = "completed" }
        );

    private IEnumerable<Line> Predicted() => ShowsCauses ? RecordCharts.Predicted(stage!, Until) : [];

    private Panel Users() =>
        Draw(
            "users",
            telemetry is null ? "User load" : "User load and requests",
            telemetry is null ? "users" : "users, requests/s",
            UsersText,
            "requests-per-second",
            rows =>
                [
                    new("requests", "requests", rows.Rates("accepted")),
                    new("users", "users", [.. UserSteps(stage!).Where(point => point.X <= Until)], Step: true),
                ],
            () => [new("users", "users", UserSteps(stage!), Step: true)]
        );

    private Panel Backlog() =>
        Draw(
            "backlog",
            "Messages in the queue",
            "messages",
            BacklogText,
            "backlog",
            rows =>
                [
                    new("waiting", "backlog", rows.Stocks("active")),
                    new("locked by a receiver", "outgoing", rows.Stocks("locked")),
                    new("dead-lettered", "errors", rows.Stocks("deadLetter")),
                ],
            () => RecordCharts.Backlog(stage!.Series)
        );

    private Panel BufferWait() =>
        Draw(
            "buffer-wait",
            "Wait at a receiver, compared with the lock duration",
            "s",
            _ => WaitText(),
            "buffer-wait",
            rows => [new("wait until settlement", "errors", rows.Means("seconds"))],
            more: chart =>
                chart with
                {
                    Thresholds = Lock > 0 ? [new(Lock, $"lock: {Lock:0.##} s")] : [],
                    PeakOf = "wait until settlement",
                },
            applies: ShowsCauses && Prefetch > 0
        );

    private Panel Buffer()
    {
        IReadOnlyList<Line> receivers = Prefetch > 0 ? Receivers(Rows("prefetch-buffer")) : [];
        var left =
            receivers.Count <= Palette.Series.Count
                ? ""
                : $" Shows the {Palette.Series.Count} of {receivers.Count} receivers with the most messages.";
        return Draw(
            "buffer",
            "Messages held by each receiver",
            "messages",
            _ => BufferText() + left,
            "prefetch-buffer",
            _ => Palette.Paint(Fullest(receivers)),
            more: chart => chart with { Thresholds = [new(Prefetch, "prefetch count")] },
            applies: Prefetch > 0
        );
    }

    private static IEnumerable<Line> Fullest(IReadOnlyList<Line> receivers) =>
        receivers
            .Index()
            .OrderByDescending(ranked => ranked.Item.Peak?.Y)
            .Take(Palette.Series.Count)
            .OrderBy(ranked => ranked.Index)
            .Select(ranked => ranked.Item);

    private static IReadOnlyList<Line> Receivers(TimeRows rows) =>
        [
            .. rows.By("connection", "link")
                .Select(
                    (receiver, i) =>
                        new Line(
                            $"receiver {i + 1}",
                            "",
                            rows.Stocks("max_unsettled", 1, new HashSet<int>(receiver).Contains)
                        )
                ),
        ];

    private Panel MessageAge() =>
        Draw(
            "age",
            "Age of a message when its processing begins",
            "s",
            _ => "Time since the client's request was accepted: in the queue, then in a receiver's buffer.",
            "message-age",
            rows =>
                [
                    new("95th percentile", "incoming", rows.Means("percentile_age_95", 0.001)),
                    new("median", "outgoing", rows.Means("percentile_age_50", 0.001)),
                ]
        );

    private Panel ClientLatency() =>
        Draw(
            "clients",
            "Response time for clients",
            "ms",
            _ => "Measured by Ingestion, without the network to the client.",
            "client-latency",
            rows => Percentiles(rows, "duration", 1)
        );

    /// <summary>Draws no line if there are no errors.</summary>
    private Panel ClientErrors() =>
        Draw(
            "client-errors",
            "Failed client requests",
            "per s",
            _ => "New deliveries that Ingestion rejected, without requests that never reached it.",
            "client-latency",
            rows =>
                rows.Rates("failed") is var failed && failed.Any(point => point.Y > 0)
                    ? [new("failed", "errors", failed)]
                    : []
        );

    private Panel CompletedAge() =>
        Draw(
            "completed-age",
            "Age of a message when it is completed",
            "s",
            _ =>
                "From the broker's acceptance to the end of the handler that completed it, shown at the start of that handler.",
            "completed-age",
            rows => Percentiles(rows, "age", 0.001)
        );

    private static IReadOnlyList<Line> Percentiles(TimeRows rows, string column, double factor) =>
        [
            new("99th percentile", "errors", rows.Means($"percentile_{column}_99", factor)),
            new("95th percentile", "incoming", rows.Means($"percentile_{column}_95", factor)),
            new("median", "outgoing", rows.Means($"percentile_{column}_50", factor)),
        ];

    private Panel LocksLost() =>
        Draw(
            "locks",
            "Settlements rejected because the lock had expired",
            "per s",
            LocksText,
            "lock-lost",
            rows =>
                [
                    .. rows.By("name")
                        .Select(
                            (name, i) =>
                                new Line(
                                    name.Key.Split('.')[^1],
                                    Palette.Failures[i % Palette.Failures.Count],
                                    rows.Rates("lost", new HashSet<int>(name).Contains)
                                )
                        ),
                ],
            () => stage!.Series.Any(bin => bin.LockLost > 0) ? [RecordCharts.Refused(stage.Series)] : []
        );

    private Panel NodeCpu() =>
        Draw(
            "nodes",
            "CPU of the nodes",
            "%",
            NodesText,
            "node-cpu-over-time",
            rows =>
                [
                    new("busiest node", "errors", rows.Means("max_cpu")),
                    new("mean of all nodes", "outgoing", rows.Means("avg_cpu")),
                ],
            () => RecordCharts.Nodes(stage!.Series),
            chart => chart with { Thresholds = [new(80, "80 %")] }
        );

    private Panel RedisMemory() =>
        Draw(
            "redis",
            "Memory of Redis",
            "MiB",
            _ => "Used memory and its limit, beyond which writes fail.",
            "redis-memory",
            rows => [new("used", "memory", rows.Stocks("max_usedMemory", 1 / Mebi))],
            more: chart =>
                RedisLimit is > 0 and var limit
                    ? chart with
                    {
                        Thresholds = [new(limit / Mebi, $"limit: {limit / Mebi:0.#} MiB")],
                    }
                    : chart,
            applies: ShowsCauses && RedisLimit > 0
        );

    private Panel Draw(
        string id,
        string title,
        string unit,
        Func<StageRecord, string> says,
        string query,
        Func<TimeRows, IReadOnlyList<Line>> lines,
        Func<IReadOnlyList<Line>>? ofRecord = null,
        Func<LineChart, LineChart>? more = null,
        bool applies = true
    )
    {
        var rows = applies && telemetry is not null ? Rows(query) : null;
        var (name, text) = stage is null ? ("recent", "") : (stage.Stage, says(stage));
        var chart = new LineChart(
            $"{id}-{name}",
            title,
            text,
            unit,
            rows is not null ? lines(rows)
                : telemetry is null && ofRecord is not null ? ofRecord()
                : [],
            stage is null ? [] : Marks(stage)
        )
        {
            Bands = stage is null ? [] : Bands(stage),
            Until = Until,
        };
        return new(more is null ? chart : more(chart), rows?.Answer);
    }

    /// <summary>The end of all charts of the stage, so that they line up.</summary>
    private double Until => Math.Max(stage?.Profile.DurationSeconds ?? 0, telemetry?.Seconds ?? 0);

    private double Lock => Knob(stage!, "queue.lockDuration");

    private double Prefetch => Knob(stage!, "workflow.prefetchCount");

    private double RedisLimit =>
        telemetry!.Ask("redis-memory").Rows.Column("max_maxMemory").Select(TimeRows.Number).DefaultIfEmpty(0).Max();

    private TimeRows Rows(string query) => new(telemetry!, query);

    private Line OfBins(string name, string color, Func<Bin, double> value) =>
        RecordCharts.Rates(name, color, stage!.Series, value);

    private string BufferText() =>
        $"Prefetch count {Prefetch:N0}: the maximum number of messages in a buffer, where their locks are already running.";

    private string WaitText() =>
        "Messages that the receiver holds, divided by those that it processes per second. "
        + $"A message that waits longer than the lock duration of {Lock:0.##} s is redelivered, and the work for it is wasted.";
}
