namespace DroneDelivery.Telemetry.Ingest;

/// <summary>What became of everything that arrived: <c>Received = Kept + the sum of Refused</c>.</summary>
/// <param name="Received">Items in the uploads that could be read.</param>
/// <param name="Kept">Items that are in the tables.</param>
/// <param name="Refused">Items that are not, by reason; reasons without a case are left out.</param>
/// <param name="UploadsRefused">Uploads that were turned away whole (too large, not gzip): how many items they held is not known.</param>
/// <param name="Samples">Rows that the process itself added to tables of its own.</param>
/// <param name="Unsaved">Lines that are in memory but not in the file, because the disk refused them.</param>
/// <param name="CutOff">Unfinished ends, as a killed process leaves them: of a file that was loaded, or that is gone on with.</param>
public sealed record TelemetryCounts(
    long Received, long Kept, IReadOnlyDictionary<RefusalReason, long> Refused, long UploadsRefused, long Samples, long Unsaved, long CutOff);

/// <summary>The answer to one upload.</summary>
public sealed record IngestResult(int Received, int Accepted, IReadOnlyList<ItemError> Errors);

/// <param name="Index">Position of the item in the upload, from 0.</param>
/// <param name="StatusCode">Always 400: trying again would not help.</param>
public sealed record ItemError(int Index, int StatusCode, string Message);
