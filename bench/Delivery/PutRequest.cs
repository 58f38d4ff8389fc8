using System.Text.Json;
using DroneDelivery.Bench.Ingestion;
using DroneDelivery.Contracts;

namespace DroneDelivery.Bench.Delivery;

/// <summary>PUTs of deliveries, each with an id of its own.</summary>
internal static class PutRequest
{
    private static readonly byte[] Body = NewBody();
    private static int _number;

    public static byte[] Next(int port) =>
        HttpLoad.Request(port, "PUT", $"/api/deliveries/bench-{Interlocked.Increment(ref _number)}", Body);

    private static byte[] NewBody()
    {
        var pickup = new Location { Latitude = 47.6, Longitude = -122.3 };
        var dropoff = new Location { Latitude = 47.7, Longitude = -122.2 };
        var noon = new DateTimeOffset(2030, 1, 1, 12, 0, 0, TimeSpan.Zero);
        var delivery = new DeliveryUpsert
        {
            OwnerId = "owner-1",
            Pickup = pickup,
            Dropoff = dropoff,
            PickupTime = noon,
            PackageId = "package-1",
            DroneId = "drone-1",
            FlightPlan = new()
            {
                Depot = pickup,
                Pickup = pickup,
                Dropoff = dropoff,
                TakeOff = noon,
                PickupAt = noon.AddMinutes(5),
                DropoffAt = noon.AddMinutes(20),
                Landing = noon.AddMinutes(30),
                DistanceKm = 13,
            },
        };
        return JsonSerializer.SerializeToUtf8Bytes(delivery, ContractJson.Options);
    }
}
