using DroneDelivery.Contracts;

namespace DroneDelivery.Bench.Services;

internal static class Requests
{
    private static readonly DateTimeOffset Noon = new(2030, 1, 1, 12, 0, 0, TimeSpan.Zero);
    private static readonly Location Pickup = new() { Latitude = 47.6, Longitude = -122.3 };
    private static readonly Location DropOff = new() { Latitude = 47.7, Longitude = -122.2 };
    private static readonly DeliveryUpsert Delivery = new()
    {
        OwnerId = "owner-1",
        Pickup = Pickup,
        Dropoff = DropOff,
        PickupTime = Noon,
        PackageId = "package-1",
        DroneId = "drone-1",
        FlightPlan = new()
        {
            Depot = Pickup,
            Pickup = Pickup,
            Dropoff = DropOff,
            TakeOff = Noon,
            PickupAt = Noon.AddMinutes(5),
            DropoffAt = Noon.AddMinutes(20),
            Landing = Noon.AddMinutes(30),
            DistanceKm = 13,
        },
    };

    private static int _number;

    /// <summary>Returns POSTs of the same delivery request.</summary>
    public static Func<byte[]> Post(int port, string headers = "")
    {
        var request = HttpLoad.Request(
            port,
            "POST",
            "/api/deliveryrequests",
            new DeliveryRequest
            {
                OwnerId = "owner-1",
                PickupLocation = Pickup,
                DropOffLocation = DropOff,
                PickupTime = Noon,
                PackageInfo = new PackageInfo
                {
                    PackageId = "package-1",
                    Size = PackageSize.Small,
                    Weight = 1.5,
                },
            },
            headers
        );
        return () => request;
    }

    /// <summary>Returns a PUT of a delivery with a new id.</summary>
    public static byte[] NextPut(int port) =>
        HttpLoad.Request(port, "PUT", $"/api/deliveries/bench-{Interlocked.Increment(ref _number)}", Delivery);
}
