using System.Text.Json.Serialization;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>What became of everything that arrived: <c>Received = Kept + the sum of Refused</c>.</summary>
/// <param name="Received">Items in the uploads that could be read.</param>
/// <param name="Kept">Items that are in the tables.</param>
/// <param name="Refused">Items that are not, by reason; reasons without a case are left out.</param>
/// <param name="UploadsRefused">Uploads that were turned away whole (too large, not gzip): how many items they held is not known.</param>
/// <param name="Samples">Rows that the process itself added to tables of its own.</param>
/// <param name="Unsaved">Lines that the file lacks because the disk refused them; in the process that wrote it they are in memory.</param>
/// <param name="CutOff">Unfinished ends, as a killed process leaves them: of a file that was loaded, or that is gone on with.</param>
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
    /// <summary>Rows that have left memory (<see cref="TelemetryWindow"/>).</summary>
    public long Dropped { get; init; }

    /// <summary>For people: what the file lacks; null when it lacks nothing.</summary>
    [JsonIgnore]
    public string? FileGap =>
        Unsaved == 0
            ? null
            : $"The file with the telemetry lacks {Unsaved} items, which the disk refused: "
                + "queries and a report that is made again do not see them.";
}

/// <summary>The answer to one upload.</summary>
/// <param name="Errors">The first errors: an upload may have any number.</param>
public sealed record IngestResult(int Received, int Accepted, IReadOnlyList<ItemError> Errors)
{
    /// <summary>Items from before the run: rejected, but not an error of their sender.</summary>
    public int Early { get; init; }
}

/// <param name="Index">Position of the item in the upload, from 0.</param>
/// <param name="StatusCode">Always 400: trying again would not help.</param>
/// <param name="Message">Why it was refused.</param>
/// <param name="Reason">The same, as it is counted.</param>
public sealed record ItemError(int Index, int StatusCode, string Message, [property: JsonIgnore] RefusalReason Reason);
