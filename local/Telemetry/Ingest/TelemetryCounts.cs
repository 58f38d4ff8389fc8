using System.Text.Json.Serialization;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>The counts of items: <c>Received = Kept + the sum of Refused</c>.</summary>
/// <param name="Received">The number of items in readable uploads.</param>
/// <param name="Kept">The number of items in the tables.</param>
/// <param name="Refused">The number of rejected items by reason, without zeros.</param>
/// <param name="UploadsRefused">The number of uploads rejected as a whole (too large, not gzip).</param>
/// <param name="Samples">The number of rows that the process added to its own tables.</param>
/// <param name="Unsaved">The number of lines that couldn't be written to the file.</param>
/// <param name="CutOff">The number of incomplete ends that killed processes left.</param>
public sealed record TelemetryCounts(
    long Received,
    long Kept,
    IReadOnlyDictionary<RefusalReason, long> Refused,
    long UploadsRefused,
    long Samples,
    long Unsaved,
    long CutOff
)
{
    /// <summary>The number of rows dropped from memory (<see cref="TelemetryWindow"/>).</summary>
    public long Dropped { get; init; }

    /// <summary>A message about data missing from the file; <c>null</c> if the file is complete.</summary>
    [JsonIgnore]
    public string? FileGap =>
        Unsaved == 0
            ? null
            : $"The telemetry file lacks {Unsaved} items that could not be written: "
                + "queries and new reports don't include them.";
}

public sealed record IngestResult(int Received, int Accepted, IReadOnlyList<ItemError> Errors)
{
    /// <summary>The number of items that are older than the run. They're rejected but aren't errors of the
    /// sender.</summary>
    public int Early { get; init; }
}

/// <param name="Index">The zero-based position of the item in the upload.</param>
/// <param name="StatusCode">Always 400, which prevents retries.</param>
public sealed record ItemError(int Index, int StatusCode, string Message, [property: JsonIgnore] RefusalReason Reason);
