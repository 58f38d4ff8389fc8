namespace DroneDelivery.Ingestion;

/// <param name="At">The time of acceptance, in whole milliseconds.</param>
/// <param name="Fingerprint">The fingerprint of the request (<see cref="ScheduleDelivery.FingerprintOf"/>).</param>
internal sealed record Acceptance(DateTimeOffset At, string Fingerprint);
