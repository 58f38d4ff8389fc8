namespace DroneDelivery.Lab.Report;

/// <summary>Charts of an application that plays no stage: its last minutes.</summary>
internal static class RecentCharts
{
    public static IEnumerable<Panel> Of(StageTelemetry recent) =>
    [
        Draw(recent, "in-out", "Incoming and outgoing messages, over 10 s", "messages/s", "incoming-outgoing",
            rows => [new("incoming", "incoming", rows.Points("incoming")), new("outgoing", "outgoing", rows.Points("outgoing"))]),
        Draw(recent, "throughput", "Throughput: messages completed", "messages/s", "throughput",
            rows => [new("completed", "outgoing", rows.Rates("succeeded")), new("refused", "errors", rows.Rates("failed"))]),
        Draw(recent, "backlog", "Messages in the queue", "messages", "backlog",
            rows => [new("waiting", "backlog", rows.Stocks("active")), new("dead-lettered", "errors", rows.Stocks("deadLetter"))]),
        Draw(recent, "completed-age", "Age of a message when it is completed", "s", "completed-age",
            rows =>
            [
                new("95th percentile", "incoming", rows.Means("percentile_age_95", 0.001)),
                new("median", "outgoing", rows.Means("percentile_age_50", 0.001)),
            ]),
    ];

    private static Panel Draw(
        StageTelemetry recent, string id, string title, string unit, string query, Func<TimeRows, IReadOnlyList<Line>> lines)
    {
        var rows = new TimeRows(recent, query);
        var chart = new LineChart($"{id}-recent", title, "", unit, lines(rows), []) { Until = recent.Seconds, Origin = recent.LoadStart };
        return new(chart, rows.Answer);
    }
}
