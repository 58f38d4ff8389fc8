using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Delivery;

/// <summary>
/// <c>POST /api/deliveries/{id}/confirmations</c>: 200, also for a replay. 400 if the type, time, or place doesn't match the delivery; 409
/// before takeoff, after a cancellation, and if another confirmation is stored.
/// </summary>
internal static class ConfirmDelivery
{
    // About 11 km: positions may be imprecise, and the dropoff may be rescheduled meanwhile.
    private const double MaxDistanceDegrees = 0.1;

    // Sample files contain dates that a smaller value would reject.
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
        // A completed delivery remains unchanged, and may have another confirmation.
        if (result is ChangeResult.Done && await store.FindConfirmationAsync(id, cancellationToken) != confirmation)
            result = new ChangeResult.Over();
        return result switch
        {
            ChangeResult.Done => TypedResults.Ok(),
            ChangeResult.Unknown => TypedResults.NotFound(),
            _ => DeliveryProblem.From(id, result),
        };
    }

    private static ChangeResult Completed(StoredDelivery old, DeliveryConfirmation confirmation, DeliveryEvent now) =>
        old.Closed switch
        {
            { Stage: not DeliveryStage.Completed } => new ChangeResult.Over(),
            var closed => FindError(confirmation, old.Delivery, now.Time)
                ?? new ChangeResult.Done(old with { Closed = closed ?? now }),
        };

    private static ChangeResult? FindError(
        DeliveryConfirmation confirmation,
        DeliveryDetails delivery,
        DateTimeOffset now
    )
    {
        var takeOff = delivery.FlightPlan.TakeOff;
        return delivery.ConfirmationRequired is not ConfirmationType.None and var required
            && required != confirmation.ConfirmationType
                ? new ChangeResult.InvalidField("confirmationType", $"Must be {required}, as the delivery requires.")
            : now < takeOff ? new ChangeResult.TooEarly()
            : confirmation.Time < takeOff
                ? new ChangeResult.InvalidField("time", "Must not be before the drone took off.")
            : confirmation.Time > now.AddYears(MaxYearsAhead)
                ? new ChangeResult.InvalidField("time", $"Must be within {MaxYearsAhead} years.")
            : IsNear(confirmation.GeoCoordinates, delivery.Dropoff) ? null
            : new ChangeResult.InvalidField("geoCoordinates", "Must be near the drop-off.");
    }

    private static bool IsNear(Location place, Location dropoff)
    {
        var north = place.Latitude - dropoff.Latitude;
        var east =
            Math.IEEERemainder(place.Longitude - dropoff.Longitude, 360)
            * Math.Cos(double.DegreesToRadians(dropoff.Latitude));
        return Math.Sqrt(north * north + east * east) <= MaxDistanceDegrees;
    }
}
