using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Support;

internal static class Deliveries
{
    private static readonly Location Depot = new() { Latitude = 47.6, Longitude = -122.3 };
    private static readonly Location Pickup = new() { Latitude = 47.7, Longitude = -122.4, Altitude = 10 };
    private static readonly Location Dropoff = new() { Latitude = 47.9, Longitude = -122.0 };
    private static readonly DateTimeOffset Noon = new(2030, 1, 1, 12, 0, 0, TimeSpan.Zero);

    /// <summary>Take-off at 12:00, pickup at 12:10, dropoff at 12:30, landing at 12:40.</summary>
    public static DeliveryUpsert Sample { get; } = new()
    {
        OwnerId = "owner-1",
        Pickup = Pickup,
        Dropoff = Dropoff,
        PickupTime = Noon.AddMinutes(10),
        Deadline = Noon.AddHours(3),
        Expedited = true,
        PackageId = "package-1",
        DroneId = "light-01",
        FlightPlan = new()
        {
            Depot = Depot,
            Pickup = Pickup,
            Dropoff = Dropoff,
            TakeOff = Noon,
            PickupAt = Noon.AddMinutes(10),
            DropoffAt = Noon.AddMinutes(30),
            Landing = Noon.AddMinutes(40),
            DistanceKm = 40,
        },
    };

    /// <summary>At the drop-off of the sample.</summary>
    public static DeliveryConfirmation Confirmation(DateTimeOffset time, ConfirmationType type) =>
        new() { Time = time, GeoCoordinates = Dropoff, ConfirmationType = type };

    public static FlightPlan LaterBy(this FlightPlan plan, TimeSpan delay) => plan with
    {
        TakeOff = plan.TakeOff + delay,
        PickupAt = plan.PickupAt + delay,
        DropoffAt = plan.DropoffAt + delay,
        Landing = plan.Landing + delay,
    };
}
