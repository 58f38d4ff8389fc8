using System.Net;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Support;

internal static class SampleRequests
{
    public static DeliveryRequest Delivery(string deliveryId) =>
        new()
        {
            DeliveryId = deliveryId,
            OwnerId = "owner-1",
            PickupLocation = new()
            {
                Latitude = 47.64,
                Longitude = -122.13,
                Altitude = 12,
            },
            DropOffLocation = new() { Latitude = 47.61, Longitude = -122.33 },
            PickupTime = new(2030, 1, 31, 12, 0, 0, TimeSpan.Zero),
            Deadline = new(2030, 1, 31, 15, 0, 0, TimeSpan.Zero),
            Expedited = true,
            ConfirmationRequired = ConfirmationType.Picture,
            Instructions = "Land behind the house.",
            PackageInfo = new()
            {
                PackageId = $"package-{deliveryId}",
                Size = PackageSize.Medium,
                Weight = 2.5,
                Tag = "books",
            },
        };
}

internal static class Packages
{
    public static PackageUpsert Sample { get; } =
        new()
        {
            OwnerId = "owner-1",
            Size = PackageSize.Medium,
            Weight = 2.5,
            Tag = "books",
        };
}

internal static class Flights
{
    /// <summary>About 16 km with 1 kg, which every drone can fly.</summary>
    public static DroneRequest Sample { get; } =
        new()
        {
            OwnerId = "owner-1",
            Pickup = new() { Latitude = 47.62, Longitude = -122.33 },
            Dropoff = new() { Latitude = 47.70, Longitude = -122.20 },
            PickupTime = new(2030, 1, 15, 12, 0, 0, TimeSpan.Zero),
            PackageSize = PackageSize.Small,
            PackageWeight = 1,
        };

    public static async Task<DroneAssignment> AssignAsync(this HttpClient http, string id, DroneRequest request)
    {
        using var response = await http.PutAsync($"/api/dronedeliveries/{id}", request);
        return await response.ReadAsync<DroneAssignment>(HttpStatusCode.Created);
    }
}

internal static class Deliveries
{
    private static readonly Location Depot = new() { Latitude = 47.6, Longitude = -122.3 };
    private static readonly Location Pickup = new()
    {
        Latitude = 47.7,
        Longitude = -122.4,
        Altitude = 10,
    };
    private static readonly Location Dropoff = new() { Latitude = 47.9, Longitude = -122.0 };
    private static readonly DateTimeOffset Noon = new(2030, 1, 1, 12, 0, 0, TimeSpan.Zero);

    /// <summary>Takeoff at 12:00, pickup at 12:10, dropoff at 12:30, landing at 12:40.</summary>
    public static DeliveryUpsert Sample { get; } =
        new()
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

    public static DeliveryConfirmation Confirmation(DateTimeOffset time, ConfirmationType type) =>
        new()
        {
            Time = time,
            GeoCoordinates = Dropoff,
            ConfirmationType = type,
        };

    public static FlightPlan LaterBy(this FlightPlan plan, TimeSpan delay) =>
        plan with
        {
            TakeOff = plan.TakeOff + delay,
            PickupAt = plan.PickupAt + delay,
            DropoffAt = plan.DropoffAt + delay,
            Landing = plan.Landing + delay,
        };
}
