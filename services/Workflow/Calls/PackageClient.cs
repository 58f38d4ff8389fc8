using DroneDelivery.Contracts;

namespace DroneDelivery.Workflow.Calls;

internal sealed class PackageClient(HttpClient http)
{
    /// <summary>Creates the package unless it exists, so that requests don't overwrite the owner's changes.</summary>
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

    /// <summary>Compensates <see cref="CreateAsync"/> for this request and its earlier attempts.</summary>
    public Task UndoAsync(RequestIdentity identity, string packageId, CancellationToken cancellationToken) =>
        http.RequireSuccessAsync(
            HttpMethod.Delete,
            $"api/packages/{packageId}/requests/{identity.Key}?attempt={identity.Attempt}",
            body: null,
            cancellationToken
        );
}
