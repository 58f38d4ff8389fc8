using DroneDelivery.Contracts;

namespace DroneDelivery.Workflow.Calls;

internal sealed class PackageClient(HttpClient http)
{
    /// <summary>
    /// Stores the package if it is not there. One that is stays as its owner left it: a request that is refused at the next step has
    /// changed no package, and one that comes again undoes nothing.
    /// </summary>
    public Task<PackageDetails> CreateAsync(
        RequestIdentity identity,
        DeliveryRequest request,
        CancellationToken cancellationToken
    )
    {
        var package = new PackageUpsert
        {
            OwnerId = request.OwnerId,
            Size = request.PackageInfo.Size,
            Weight = request.PackageInfo.Weight,
            Tag = request.PackageInfo.Tag,
        };
        var path =
            $"api/packages/{request.PackageInfo.PackageId}?ifAbsent=true&for={identity.Key}&attempt={identity.Attempt}";
        return http.ReadAsync<PackageDetails>(HttpMethod.Put, path, package, cancellationToken);
    }

    /// <summary>Takes back what <see cref="CreateAsync"/> has made for this request or an older attempt of it.</summary>
    public Task UndoAsync(RequestIdentity identity, string packageId, CancellationToken cancellationToken) =>
        http.RequireSuccessAsync(
            HttpMethod.Delete,
            $"api/packages/{packageId}/requests/{identity.Key}?attempt={identity.Attempt}",
            body: null,
            cancellationToken
        );
}
