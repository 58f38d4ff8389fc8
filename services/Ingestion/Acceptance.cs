namespace DroneDelivery.Ingestion;

/// <param name="At">When the request was accepted, to the millisecond.</param>
/// <param name="Fingerprint">The request's: <see cref="ScheduleDelivery.FingerprintOf"/>.</param>
internal sealed record Acceptance(DateTimeOffset At, string Fingerprint);
