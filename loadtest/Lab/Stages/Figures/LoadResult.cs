namespace DroneDelivery.Lab.Stages;

/// <summary>What a load driver saw.</summary>
internal sealed record LoadResult
{
    /// <summary>k6, job or own.</summary>
    public required string Driver { get; init; }

    /// <summary>When the first user began.</summary>
    public required DateTimeOffset StartedAt { get; init; }

    /// <summary>Requests started.</summary>
    public required long Sent { get; init; }

    /// <summary>Answered with 202.</summary>
    public required long Accepted { get; init; }

    /// <summary>Answered with 5xx.</summary>
    public required long ServerErrors { get; init; }

    /// <summary>Answered otherwise or not at all.</summary>
    public required long Failed { get; init; }

    /// <summary>Due and not sent, because the generator had too many unanswered.</summary>
    public required long Dropped { get; init; }

    /// <summary>Milliseconds to the answer, median; likewise the others.</summary>
    public required double P50 { get; init; }

    public required double P95 { get; init; }

    public required double P99 { get; init; }
}
