using System.Net;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Support;

internal static class Flights
{
    /// <summary>About 16 km with 1 kg: any drone can.</summary>
    public static DroneRequest Sample { get; } = new()
    {
        OwnerId = "owner-1",
        Pickup = new() { Latitude = 47.62, Longitude = -122.33 },
        Dropoff = new() { Latitude = 47.70, Longitude = -122.20 },
        PickupTime = new(2030, 1, 15, 12, 0, 0, TimeSpan.Zero),
        PackageSize = PackageSize.Small,
        PackageWeight = 1,
    };

    /// <summary>For a delivery that has no drone yet.</summary>
    public static async Task<DroneAssignment> AssignAsync(this HttpClient http, string id, DroneRequest request)
    {
        using var response = await http.PutAsync($"/api/dronedeliveries/{id}", request);
        return await response.ReadAsync<DroneAssignment>(HttpStatusCode.Created);
    }
}
