using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Stages;

/// <summary>A metric from the result of a telemetry query.</summary>
/// <param name="Unit">Empty for a count.</param>
/// <param name="Of">NaN if there was nothing to count.</param>
internal sealed record TelemetryFigure(
    string Name,
    string Unit,
    string Meaning,
    string Query,
    Func<Func<string, IEnumerable<object?>>, StageTimes, double> Of
)
{
    public Sources Needs { get; init; } = Sources.Telemetry;
}

internal static class TelemetryFigures
{
    public static IReadOnlyList<TelemetryFigure> All { get; } =
    [
        Sum("telemetry.completed", "successful Complete calls", "throughput", "succeeded"),
        Sum("telemetry.completeFailed", "failed Complete calls", "throughput", "failed"),
        Sum("telemetry.deadLetterFailed", "failed DeadLetter calls", "dead-letter-calls", "failed"),
        Sum("telemetry.lockLost", "settlements that failed because the lock had expired", "lock-lost", "lost"),
        Sum("telemetry.cacheFull", "HTTP 5xx of Delivery because Redis is out of memory", "cache-full", "errors"),
        First("telemetry.cacheFullFirst", "time of the first one, after the start of the stage", "cache-full"),
        Sum("telemetry.errors", "HTTP 5xx responses of all services", "errors-by-cause", "errors"),
        First(
            "telemetry.firstError",
            "time of the first HTTP 5xx of any service, after the start of the stage",
            "errors-by-cause"
        ),
        One("telemetry.processMean", "ms", "processing of a message, mean", "process-duration", "avg_duration"),
        One(
            "telemetry.processP50",
            "ms",
            "processing of a message, median",
            "process-duration",
            "percentile_duration_50"
        ),
        One(
            "telemetry.processP95",
            "ms",
            "processing of a message, 95th percentile",
            "process-duration",
            "percentile_duration_95"
        ),
        Seconds(
            "telemetry.ageP50",
            "from acceptance to the end of processing, median",
            "delivery-time",
            "percentile_age_50"
        ),
        Seconds(
            "telemetry.ageP95",
            "from acceptance to the end of processing, 95th percentile",
            "delivery-time",
            "percentile_age_95"
        ),
        Seconds(
            "telemetry.ageP99",
            "from acceptance to the end of processing, 99th percentile",
            "delivery-time",
            "percentile_age_99"
        ),
        One("telemetry.accepted", "", "requests that Ingestion accepted (202)", "conservation", "accepted"),
        One(
            "telemetry.unaccounted",
            "",
            "accepted − (completed + dead-lettered + queued)",
            "conservation",
            "unaccounted"
        ) with
        {
            Needs = Sources.Telemetry | Sources.Stocks | Sources.Standstill,
        },
        Difference(
            "telemetry.acceptedDifference",
            "accepted by telemetry − accepted by the broker",
            "accepted",
            "brokerAccepted"
        ) with
        {
            Needs = Sources.Telemetry | Sources.Deliveries,
        },
        Difference(
            "telemetry.completedDifference",
            "completed by telemetry − completed by the broker",
            "completed",
            "brokerCompleted"
        ) with
        {
            Needs = Sources.Telemetry | Sources.Deliveries | Sources.Standstill,
        },
    ];

    public static IEnumerable<string> Queries => All.Select(figure => figure.Query).Distinct();

    private static TelemetryFigure Sum(string name, string meaning, string query, string column) =>
        new(name, "", meaning, query, (answer, _) => answer(column).Sum(Number));

    private static TelemetryFigure One(string name, string unit, string meaning, string query, string column) =>
        new(name, unit, meaning, query, (answer, _) => First(answer(column)));

    private static TelemetryFigure Seconds(string name, string meaning, string query, string milliseconds) =>
        new(name, "s", meaning, query, (answer, _) => First(answer(milliseconds)) / 1000);

    private static TelemetryFigure Difference(string name, string meaning, string column, string ofBroker) =>
        new(name, "", meaning, "conservation", (answer, _) => First(answer(column)) - First(answer(ofBroker)));

    private static TelemetryFigure First(string name, string meaning, string query) =>
        new(name, "s", meaning, query, (answer, stage) =>
            answer("firstAt")
                .OfType<DateTime>()
                .Select(time => (time - stage.Start.UtcDateTime).TotalSeconds)
                .DefaultIfEmpty(double.NaN)
                .Min()
        );

    private static double First(IEnumerable<object?> column) => column.Select(Number).FirstOrDefault(double.NaN);

    private static double Number(object? cell) =>
        cell switch
        {
            long whole => whole,
            double real => real,
            _ => double.NaN,
        };
}

internal sealed record StageTimes(string Stage, DateTimeOffset Start, DateTimeOffset End);
