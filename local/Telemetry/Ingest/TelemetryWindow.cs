namespace DroneDelivery.Telemetry.Ingest;

/// <summary>The limits of a store, beyond which the oldest rows are dropped: in memory, 65,536 rows of a table at a
/// time; in the file, half of it.</summary>
/// <param name="Bytes">The maximum size of all tables or of the file, in bytes.</param>
public sealed record TelemetryWindow(TimeSpan Age, long Bytes)
{
    public override string ToString() => $"the last {Age.TotalMinutes:0} minutes, at most {Bytes >> 20} MiB";
}
