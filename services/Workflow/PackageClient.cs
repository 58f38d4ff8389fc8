using DroneDelivery.Contracts;

namespace DroneDelivery.Workflow;

internal sealed class PackageClient(HttpClient http)
{
    public async Task<PackageDetails> UpsertAsync(DeliveryRequest request, CancellationToken cancellationToken)
    {
        var package = new PackageUpsert
        {
            OwnerId = request.OwnerId,
            Size = request.PackageInfo.Size,
            Weight = request.PackageInfo.Weight,
            Tag = request.PackageInfo.Tag,
        };
        using var response = await http.PutAsJsonAsync($"api/packages/{request.PackageInfo.PackageId}", package, ContractJson.Options, cancellationToken);
        return await Answer.ReadAsync<PackageDetails>(response, cancellationToken);
    }
}
