using DroneDelivery.Contracts;
using DroneDelivery.Delivery.Status;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Delivery;

/// <summary>
/// <c>PATCH /api/deliveries/{id}</c>: 200 with the stored delivery, 400 if its deadline would precede its pickup, 409 if it is completed or
/// cancelled.
/// </summary>
internal static class RescheduleDelivery
{
    public static async Task<Results<Ok<DeliveryDetails>, NotFound, ProblemHttpResult>> HandleAsync(
        [Id] string id,
        DeliveryReschedule request,
        ChangeDelivery change,
        CancellationToken cancellationToken
    ) =>
        await change.RunAsync(
            id,
            DeliveryStage.Rescheduled,
            (old, now) => Rescheduled(old, request, now),
            cancellationToken
        ) switch
        {
            ChangeResult.Done(var stored) => TypedResults.Ok(stored.Delivery),
            ChangeResult.Unknown => TypedResults.NotFound(),
            var rejected => DeliveryProblem.From(id, rejected),
        };

    private static ChangeResult Rescheduled(StoredDelivery old, DeliveryReschedule request, DeliveryEvent now)
    {
        if (DeliveryProgress.IsOver(old, now.Time))
            return new ChangeResult.Over();
        var changed = Rescheduled(old, request);
        return changed.Delivery.Deadline < changed.Delivery.PickupTime
            ? new ChangeResult.InvalidField("deadline", "Must not be before the pickup time.")
            : new ChangeResult.Done(changed);
    }

    /// <summary>The deadline isn't part of the assignment, so it applies even if a newer assignment is stored.</summary>
    private static StoredDelivery Rescheduled(StoredDelivery old, DeliveryReschedule request)
    {
        var moved = WithDeadline(old, request);
        return request.Revision < old.Revision
            ? moved
            : moved with
            {
                Delivery = Reassigned(moved.Delivery, request),
                Revision = request.Revision ?? old.Revision,
            };
    }

    private static StoredDelivery WithDeadline(StoredDelivery old, DeliveryReschedule request) =>
        request.Deadline is not { } deadline || request.AcceptedAt < old.DeadlineAcceptedAt
            ? old
            : old with
            {
                Delivery = old.Delivery with { Deadline = deadline },
                DeadlineAcceptedAt = request.AcceptedAt ?? old.DeadlineAcceptedAt,
            };

    private static DeliveryDetails Reassigned(DeliveryDetails old, DeliveryReschedule request) =>
        old with
        {
            Pickup = request.Pickup ?? old.Pickup,
            Dropoff = request.Dropoff ?? old.Dropoff,
            PickupTime = request.PickupTime ?? old.PickupTime,
            DroneId = request.DroneId ?? old.DroneId,
            FlightPlan = request.FlightPlan ?? old.FlightPlan,
        };
}
