namespace DroneDelivery.Lab.Stages;

/// <summary>What a load driver saw.</summary>
/// <param name="Driver">k6, job or own.</param>
/// <param name="StartedAt">When the first user began.</param>
/// <param name="Accepted">Answered with 202.</param>
/// <param name="ServerErrors">Answered with 5xx.</param>
/// <param name="Failed">Answered otherwise or not at all.</param>
/// <param name="Dropped">Due and not sent, because the generator had too many unanswered.</param>
/// <param name="P50">Milliseconds to the answer, median; likewise the others.</param>
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
