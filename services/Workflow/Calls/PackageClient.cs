using DroneDelivery.Contracts;

namespace DroneDelivery.Workflow.Calls;

internal sealed class PackageClient(HttpClient http)
{
    /// <summary>
    /// Stores the package if it is not there. One that is stays as its owner left it: a request that is refused at the next step has
    /// changed no package, and one that comes again undoes nothing.
    /// </summary>
    public async Task<PackageDetails> CreateAsync(
        RequestIdentity identity, DeliveryRequest request, CancellationToken cancellationToken)
    {
        var package = new PackageUpsert
        {
            OwnerId = request.OwnerId,
            Size = request.PackageInfo.Size,
            Weight = request.PackageInfo.Weight,
            Tag = request.PackageInfo.Tag,
        };
        using var response = await http.PutAsJsonAsync(
            $"{PathOf(request.PackageInfo.PackageId)}?ifAbsent=true&for={identity.Key}&attempt={identity.Attempt}",
            package,
            ContractJson.Options,
            cancellationToken);
        return await Answer.ReadAsync<PackageDetails>(response, cancellationToken);
    }

    /// <summary>Takes back what <see cref="CreateAsync"/> has made for this request or an older attempt of it.</summary>
    public async Task UndoAsync(RequestIdentity identity, string packageId, CancellationToken cancellationToken)
    {
        var path = $"{PathOf(packageId)}/requests/{identity.Key}?attempt={identity.Attempt}";
        using var response = await http.DeleteAsync(new Uri(path, UriKind.Relative), cancellationToken);
        await Answer.RequireSuccessAsync(response, cancellationToken);
    }

    private static string PathOf(string packageId) => $"api/packages/{packageId}";
}
