using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Support;

internal static class SampleRequests
{
    public static DeliveryRequest Delivery(string deliveryId) => new()
    {
        DeliveryId = deliveryId,
        OwnerId = "owner-1",
        PickupLocation = new() { Latitude = 47.64, Longitude = -122.13, Altitude = 12 },
        DropOffLocation = new() { Latitude = 47.61, Longitude = -122.33 },
        PickupTime = new(2030, 1, 31, 12, 0, 0, TimeSpan.Zero),
        Deadline = new(2030, 1, 31, 15, 0, 0, TimeSpan.Zero),
        Expedited = true,
        ConfirmationRequired = ConfirmationType.Picture,
        Instructions = "Land behind the house.",
        PackageInfo = new() { PackageId = $"package-{deliveryId}", Size = PackageSize.Medium, Weight = 2.5, Tag = "books" },
    };

    /// <summary>What Workflow makes of it, when the drone stands beside the package.</summary>
    public static DeliveryUpsert Recorded(string deliveryId)
    {
        var request = Delivery(deliveryId);
        return new()
        {
            OwnerId = request.OwnerId,
            Pickup = request.PickupLocation,
            Dropoff = request.DropOffLocation,
            PickupTime = request.PickupTime,
            PackageId = request.PackageInfo.PackageId,
            DroneId = "drone-1",
            FlightPlan = new()
            {
                Depot = request.PickupLocation,
                Pickup = request.PickupLocation,
                Dropoff = request.DropOffLocation,
                TakeOff = request.PickupTime,
                PickupAt = request.PickupTime,
                DropoffAt = request.PickupTime.AddMinutes(10),
                Landing = request.PickupTime.AddMinutes(20),
                DistanceKm = 30,
            },
        };
    }
}
