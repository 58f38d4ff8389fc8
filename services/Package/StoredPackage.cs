using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Idempotency;

namespace DroneDelivery.Package;

/// <param name="Version">The <c>ETag</c>, which changes with the package.</param>
/// <param name="Request">The fingerprint of the last PUT.</param>
/// <param name="Requests">The attempts of delivery requests by key, as JSON.</param>
/// <param name="MadeByRequest">1 if a delivery request created the package, and its owner hasn't changed it.</param>
internal sealed record StoredPackage(
    string Id,
    string OwnerId,
    string Size,
    double Weight,
    string? Tag,
    string Version,
    string Request,
    string Requests,
    long MadeByRequest
)
{
    public const string Select =
        "select id, owner_id as OwnerId, size, weight, tag, version, request, requests, made_by_request as MadeByRequest from packages";

    public const string Insert = """
        insert into packages (id, owner_id, size, weight, tag, version, request, requests, made_by_request)
        values (@Id, @OwnerId, @Size, @Weight, @Tag, @Version, @Request, @Requests, @MadeByRequest)
        on conflict (id) do nothing
        """;

    public PackageDetails Details =>
        new()
        {
            Id = Id,
            OwnerId = OwnerId,
            Size = Enum.Parse<PackageSize>(Size),
            Weight = Weight,
            Tag = Tag,
        };

    public static StoredPackage Create(string id, PackageUpsert package) =>
        new(
            id,
            package.OwnerId,
            package.Size.ToString(),
            package.Weight,
            package.Tag,
            NewVersion(),
            Fingerprint.Compute(package),
            Requests: "{}",
            MadeByRequest: 0
        );

    // Not a counter, which would start again if the package is created again.
    public static string NewVersion() => Guid.NewGuid().ToString("N");

    public PackageDetails DetailsWithETag(HttpResponse response)
    {
        response.Headers.ETag = IfMatch.TagOf(Version);
        return Details;
    }
}
