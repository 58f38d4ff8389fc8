using DroneDelivery.Contracts;

namespace DroneDelivery.Ingestion;

/// <summary>A queued request that isn't recorded yet.</summary>
internal sealed record PendingDelivery(string DeliveryId, DeliveryStage Stage, DateTimeOffset AcceptedAt);
