using DroneDelivery.Contracts;

namespace DroneDelivery.Workflow.Calls;

internal sealed class PackageClient(HttpClient http)
{
    /// <summary>
    /// Stores the package if it is not there. One that is stays as its owner left it: a request that is refused at the next step has
    /// changed no package, and one that comes again undoes nothing.
    /// </summary>
    public async Task<PackageDetails> CreateAsync(DeliveryRequest request, CancellationToken cancellationToken)
    {
        var package = new PackageUpsert
        {
            OwnerId = request.OwnerId,
            Size = request.PackageInfo.Size,
            Weight = request.PackageInfo.Weight,
            Tag = request.PackageInfo.Tag,
        };
        using var response = await http.PutAsJsonAsync(
            $"api/packages/{request.PackageInfo.PackageId}?ifAbsent=true", package, ContractJson.Options, cancellationToken);
        return await Answer.ReadAsync<PackageDetails>(response, cancellationToken);
    }
}
