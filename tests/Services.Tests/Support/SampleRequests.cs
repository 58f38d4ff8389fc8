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
}
