using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Stages;

/// <summary>A number about a stage that telemetry alone gives, read off the answer of one query file.</summary>
/// <param name="Unit">Empty for a count.</param>
/// <param name="Of">From the columns of the answer and the stage; not a number where there was nothing to count.</param>
internal sealed record TelemetryFigure(
    string Name, string Unit, string Meaning, string Query, Func<Func<string, IEnumerable<object?>>, StageTimes, double> Of)
{
    public Sources Needs { get; init; } = Sources.Telemetry;
}

/// <summary>Every figure that comes from telemetry.</summary>
internal static class TelemetryFigures
{
    public static IReadOnlyList<TelemetryFigure> All { get; } =
    [
        new("telemetry.completed", "", "Complete calls that succeeded", "throughput", (answer, _) => Sum(answer, "succeeded")),
        new("telemetry.completeFailed", "", "Complete calls that failed", "throughput", (answer, _) => Sum(answer, "failed")),
        new("telemetry.deadLetterFailed", "", "DeadLetter calls that failed", "dead-letter-calls", (answer, _) => Sum(answer, "failed")),
        new("telemetry.lockLost", "", "settlements that failed because the lock was lost", "lock-lost", (answer, _) => Sum(answer, "lost")),
        new("telemetry.cacheFull", "", "HTTP 5xx of Delivery because Redis is out of memory", "cache-full",
            (answer, _) => Sum(answer, "errors")),
        new("telemetry.cacheFullFirst", "s", "first of them, after the beginning of the stage", "cache-full",
            (answer, stage) => Seconds(answer, "firstAt", stage)),
        new("telemetry.errors", "", "HTTP 5xx answers of all services", "errors-by-cause", (answer, _) => Sum(answer, "errors")),
        new("telemetry.firstError", "s", "first HTTP 5xx of any service, after the beginning of the stage", "errors-by-cause",
            (answer, stage) => Seconds(answer, "firstAt", stage)),
        new("telemetry.processMean", "ms", "processing of a message, mean", "process-duration",
            (answer, _) => Single(answer, "avg_duration")),
        new("telemetry.processP50", "ms", "processing of a message, median", "process-duration",
            (answer, _) => Single(answer, "percentile_duration_50")),
        new("telemetry.processP95", "ms", "processing of a message, 95th percentile", "process-duration",
            (answer, _) => Single(answer, "percentile_duration_95")),
        new("telemetry.ageP50", "s", "from acceptance to the end of processing, median", "delivery-time",
            (answer, _) => Single(answer, "percentile_age_50") / 1000),
        new("telemetry.ageP95", "s", "from acceptance to the end of processing, 95th percentile", "delivery-time",
            (answer, _) => Single(answer, "percentile_age_95") / 1000),
        new("telemetry.ageP99", "s", "from acceptance to the end of processing, 99th percentile", "delivery-time",
            (answer, _) => Single(answer, "percentile_age_99") / 1000),
        new("telemetry.accepted", "", "requests that Ingestion answered with 202", "conservation",
            (answer, _) => Single(answer, "accepted")),
        new("telemetry.unaccounted", "", "accepted − (completed + dead-lettered + queued)", "conservation",
            (answer, _) => Single(answer, "unaccounted"))
        { Needs = Sources.Telemetry | Sources.Stocks | Sources.Standstill },
        new("telemetry.acceptedDifference", "", "accepted by telemetry − accepted by the broker", "conservation",
            (answer, _) => Single(answer, "accepted") - Single(answer, "brokerAccepted"))
        { Needs = Sources.Telemetry | Sources.Deliveries },
        new("telemetry.completedDifference", "", "completed by telemetry − completed by the broker", "conservation",
            (answer, _) => Single(answer, "completed") - Single(answer, "brokerCompleted"))
        { Needs = Sources.Telemetry | Sources.Deliveries | Sources.Standstill },
    ];

    public static IEnumerable<string> Queries => All.Select(figure => figure.Query).Distinct();

    private static double Sum(Func<string, IEnumerable<object?>> answer, string column) => answer(column).Sum(Number);

    private static double Single(Func<string, IEnumerable<object?>> answer, string column) =>
        answer(column).Select(Number).FirstOrDefault(double.NaN);

    private static double Seconds(Func<string, IEnumerable<object?>> answer, string column, StageTimes stage) =>
        answer(column).OfType<DateTime>().Select(time => (time - stage.Start.UtcDateTime).TotalSeconds).DefaultIfEmpty(double.NaN).Min();

    private static double Number(object? cell) => cell switch { long whole => whole, double real => real, _ => double.NaN };
}

internal sealed record StageTimes(string Stage, DateTimeOffset Start, DateTimeOffset End);
