namespace DroneDelivery.Lab.Stages;

/// <summary>The result of a load driver.</summary>
/// <param name="Driver"><c>k6</c>, <c>job</c> or <c>own</c>.</param>
/// <param name="Accepted">202 responses.</param>
/// <param name="ServerErrors">5xx responses.</param>
/// <param name="Failed">Requests with another response or none.</param>
/// <param name="Dropped">Due requests that weren't sent, because too many were pending.</param>
/// <param name="P50">In milliseconds; also the other percentiles.</param>
internal sealed record LoadResult(
    string Driver,
    DateTimeOffset StartedAt,
    long Sent,
    long Accepted,
    long ServerErrors,
    long Failed,
    long Dropped,
    double P50,
    double P95,
    double P99
);
