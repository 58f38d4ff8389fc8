namespace DroneDelivery.Telemetry.Ingest;

/// <summary>
/// What a store that runs for days keeps: the oldest rows go once they are older or all together are larger, in memory 65,536 of a table
/// at a time, in the file half of it.
/// </summary>
/// <param name="Age">Of rows.</param>
/// <param name="Bytes">Of all tables, or of the file.</param>
public sealed record TelemetryWindow(TimeSpan Age, long Bytes)
{
    public override string ToString() => $"the last {Age.TotalMinutes:0} minutes, {Bytes >> 20} MiB at most";
}
