using System.Diagnostics;
using DroneDelivery.Contracts;

namespace DroneDelivery.Delivery.Status;

internal static class DeliveryProgress
{
    public static DeliveryStatus StatusOf(
        string id,
        StoredRequest stored,
        IReadOnlyList<DeliveryEvent> events,
        DateTimeOffset now
    ) =>
        stored switch
        {
            StoredDelivery delivery => StatusOf(delivery, events, now),
            StoredFailure failed => StatusOf(id, failed, events),
            _ => throw new UnreachableException($"Unexpected type {stored.GetType().Name}."),
        };

    private static DeliveryStatus StatusOf(string id, StoredFailure failed, IReadOnlyList<DeliveryEvent> events) =>
        new()
        {
            DeliveryId = id,
            OwnerId = failed.OwnerId,
            Stage = DeliveryStage.Failed,
            Failure = failed.Failure,
            Fingerprint = failed.Fingerprint,
            Events = events,
        };

    private static DeliveryStatus StatusOf(
        StoredDelivery stored,
        IReadOnlyList<DeliveryEvent> events,
        DateTimeOffset now
    )
    {
        var (delivery, plan) = (stored.Delivery, stored.Delivery.FlightPlan);
        return new DeliveryStatus
        {
            DeliveryId = delivery.Id,
            OwnerId = delivery.OwnerId,
            Stage = StageOf(stored, now) ?? (events is [.., var last] ? last.Stage : DeliveryStage.Created),
            LastKnownLocation = stored.Closed switch
            {
                { Stage: DeliveryStage.Completed } => delivery.Dropoff,
                { } cancelled => FlightPosition.At(plan, cancelled.Time),
                null => FlightPosition.At(plan, now),
            },
            PickupEta = plan.PickupAt,
            DeliveryEta = plan.DropoffAt,
            Fingerprint = stored.Fingerprint,
            AcceptedAt = stored.AcceptedAt,
            Events = events,
        };
    }

    /// <summary>Determines whether a delivery is cancelled, confirmed, or at the dropoff without requiring a confirmation.</summary>
    public static bool IsOver(StoredDelivery stored, DateTimeOffset now) =>
        StageOf(stored, now) is DeliveryStage.Completed or DeliveryStage.Cancelled;

    /// <returns><c>null</c> if the drone hasn't taken off.</returns>
    private static DeliveryStage? StageOf(StoredDelivery stored, DateTimeOffset now)
    {
        var plan = stored.Delivery.FlightPlan;
        if (stored.Closed is { } closed)
            return closed.Stage;
        if (now < plan.TakeOff)
            return null;
        if (now < plan.PickupAt)
            return DeliveryStage.HeadedToPickup;
        return now >= plan.DropoffAt && stored.Delivery.ConfirmationRequired == ConfirmationType.None
            ? DeliveryStage.Completed
            : DeliveryStage.HeadedToDropoff;
    }
}
