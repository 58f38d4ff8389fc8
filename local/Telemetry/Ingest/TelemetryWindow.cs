namespace DroneDelivery.Telemetry.Ingest;

/// <summary>
/// What a store that runs for days keeps in memory: the oldest rows go, 65,535 of a table at a time, once they are older or all together
/// are larger. The file keeps everything.
/// </summary>
/// <param name="Age">Of rows.</param>
/// <param name="Bytes">Of all tables.</param>
public sealed record TelemetryWindow(TimeSpan Age, long Bytes);
