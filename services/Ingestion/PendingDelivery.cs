using DroneDelivery.Contracts;

namespace DroneDelivery.Ingestion;

/// <summary>A request that the broker has and Workflow has not recorded yet.</summary>
internal sealed record PendingDelivery(string DeliveryId, DeliveryStage Stage, DateTimeOffset AcceptedAt);
