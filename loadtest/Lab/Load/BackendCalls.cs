using System.Net.Http.Json;
using System.Text.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Load;

/// <summary>A Workflow's calls to the back ends for one delivery, directly to a replica.</summary>
internal sealed class BackendCalls(HttpClient http)
{
    private readonly DeliveryRequest _request = Read();

    /// <exception cref="HttpRequestException">The replica can't be reached. Any response is a success.</exception>
    public async Task PutAsync(Service backend, Uri replica, string id, CancellationToken cancellationToken)
    {
        var (path, body) = CallOf(backend, id);
        using var content = JsonContent.Create(body, body.GetType(), options: ContractJson.Options);
        using var response = await http.PutAsync(new Uri(replica, path), content, cancellationToken);
    }

    private (string Path, object Body) CallOf(Service backend, string id) =>
        backend == Service.Package ? ($"api/packages/{id}", Package)
        : backend == Service.DroneScheduler ? ($"api/dronedeliveries/{id}", Flight)
        : ($"api/deliveries/{id}", Delivery(id));

    private PackageUpsert Package =>
        new()
        {
            OwnerId = _request.OwnerId,
            Size = _request.PackageInfo.Size,
            Weight = _request.PackageInfo.Weight,
            Tag = _request.PackageInfo.Tag,
        };

    private DroneRequest Flight =>
        new()
        {
            OwnerId = _request.OwnerId,
            Pickup = _request.PickupLocation,
            Dropoff = _request.DropOffLocation,
            PickupTime = _request.PickupTime,
            PackageSize = _request.PackageInfo.Size,
            PackageWeight = _request.PackageInfo.Weight,
        };

    private DeliveryUpsert Delivery(string id) =>
        new()
        {
            OwnerId = _request.OwnerId,
            Pickup = _request.PickupLocation,
            Dropoff = _request.DropOffLocation,
            PickupTime = _request.PickupTime,
            PackageId = id,
            DroneId = id,
            FlightPlan = new()
            {
                Depot = _request.PickupLocation,
                Pickup = _request.PickupLocation,
                Dropoff = _request.DropOffLocation,
                TakeOff = _request.PickupTime,
                PickupAt = _request.PickupTime,
                DropoffAt = _request.PickupTime,
                Landing = _request.PickupTime,
                DistanceKm = 0,
            },
        };

    private static DeliveryRequest Read()
    {
        using var file = File.OpenRead(DeliveryRequests.FilePath);
        return JsonSerializer.Deserialize<DeliveryRequest>(file, ContractJson.Options)!;
    }
}
