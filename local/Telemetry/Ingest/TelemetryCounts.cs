using System.Text.Json.Serialization;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>Counts of all items: <c>Received = Kept + the sum of Refused</c>.</summary>
/// <param name="Received">Number of items in readable uploads.</param>
/// <param name="Kept">Number of items in the tables.</param>
/// <param name="Refused">Number of rejected items, by reason; reasons without items are omitted.</param>
/// <param name="UploadsRefused">Number of uploads that were rejected as a whole (too large, not gzip).</param>
/// <param name="Samples">Number of rows that the process added to its own tables.</param>
/// <param name="Unsaved">Number of lines that couldn't be written to the file.</param>
/// <param name="CutOff">Number of unfinished ends, from killed processes.</param>
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
    /// <summary>Number of rows that were dropped from memory (<see cref="TelemetryWindow"/>).</summary>
    public long Dropped { get; init; }

    /// <summary>A sentence about data that is missing from the file; <c>null</c> if the file is complete.</summary>
    [JsonIgnore]
    public string? FileGap =>
        Unsaved == 0
            ? null
            : $"The telemetry file lacks {Unsaved} items that could not be written: "
                + "queries and new reports don't include them.";
}

/// <summary>The result of an upload.</summary>
/// <param name="Errors">The first errors.</param>
public sealed record IngestResult(int Received, int Accepted, IReadOnlyList<ItemError> Errors)
{
    /// <summary>Number of items from before the run, which are rejected but aren't errors of the sender.</summary>
    public int Early { get; init; }
}

/// <param name="Index">The position of the item in the upload, from 0.</param>
/// <param name="StatusCode">Always 400, which prevents retries.</param>
/// <param name="Message">The reason for the rejection.</param>
/// <param name="Reason">The reason as a category.</param>
public sealed record ItemError(int Index, int StatusCode, string Message, [property: JsonIgnore] RefusalReason Reason);
