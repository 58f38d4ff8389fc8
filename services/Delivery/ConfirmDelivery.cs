using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Delivery;

/// <summary>
/// <c>POST /api/deliveries/{id}/confirmations</c>: 200, again for a replay; the delivery is completed. 400 for another kind of confirmation
/// than the delivery requires, and for a time or a place that cannot be its end; 409 before its drone has taken off, for a cancelled
/// delivery, and for a delivery with another confirmation.
/// </summary>
internal static class ConfirmDelivery
{
    // Some 11 km: a position may be rough, and the drop-off may be moved while its receiver confirms.
    private const double FarthestDegrees = 0.1;

    // A confirmation is kept with its delivery. Samples have dates in files, which a closer bound would reject.
    private const int MaxYearsAhead = 10;

    public static async Task<Results<Ok, NotFound, ProblemHttpResult>> HandleAsync(
        [Id] string id,
        DeliveryConfirmation confirmation,
        ChangeDelivery change,
        DeliveryStore store,
        CancellationToken cancellationToken
    )
    {
        var result = await change.RunAsync(
            id,
            DeliveryStage.Completed,
            (old, now) => Completed(old, confirmation, now),
            cancellationToken,
            confirmation
        );
        // A delivery that was completed before changes no more, and may have another confirmation.
        if (result is ChangeResult.Done && await store.FindConfirmationAsync(id, cancellationToken) != confirmation)
            result = new ChangeResult.Over();
        return result switch
        {
            ChangeResult.Done => TypedResults.Ok(),
            ChangeResult.Unknown => TypedResults.NotFound(),
            _ => DeliveryProblem.Of(id, result),
        };
    }

    private static ChangeResult Completed(StoredDelivery old, DeliveryConfirmation confirmation, DeliveryEvent now) =>
        old.Closed switch
        {
            { Stage: not DeliveryStage.Completed } => new ChangeResult.Over(),
            var closed => RefusalOf(confirmation, old.Delivery, now.Time)
                ?? new ChangeResult.Done(old with { Closed = closed ?? now }),
        };

    private static ChangeResult? RefusalOf(
        DeliveryConfirmation confirmation,
        DeliveryDetails delivery,
        DateTimeOffset now
    )
    {
        var takeOff = delivery.FlightPlan.TakeOff;
        return delivery.ConfirmationRequired is not ConfirmationType.None and var required
            && required != confirmation.ConfirmationType
                ? new ChangeResult.Wrong("confirmationType", $"Must be {required}, as the delivery requires.")
            : now < takeOff ? new ChangeResult.TooEarly()
            : confirmation.Time < takeOff ? new ChangeResult.Wrong("time", "Must not be before the drone took off.")
            : confirmation.Time > now.AddYears(MaxYearsAhead)
                ? new ChangeResult.Wrong("time", $"Must be within {MaxYearsAhead} years.")
            : IsNear(confirmation.GeoCoordinates, delivery.Dropoff) ? null
            : new ChangeResult.Wrong("geoCoordinates", "Must be near the drop-off.");
    }

    private static bool IsNear(Location place, Location dropoff)
    {
        var north = place.Latitude - dropoff.Latitude;
        var east =
            Math.IEEERemainder(place.Longitude - dropoff.Longitude, 360)
            * Math.Cos(double.DegreesToRadians(dropoff.Latitude));
        return Math.Sqrt(north * north + east * east) <= FarthestDegrees;
    }
}
