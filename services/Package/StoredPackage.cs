using DroneDelivery.Contracts;

namespace DroneDelivery.Package;

/// <summary>A package, the version that it is, and the requests that rely on it (<see cref="RequestedPackages"/>).</summary>
internal sealed record StoredPackage(PackageDetails Details, string Version, string Requests)
{
    /// <returns>The body of an answer that has the version as its <c>ETag</c>.</returns>
    public PackageDetails TaggedIn(HttpResponse response)
    {
        response.Headers.ETag = IfMatch.TagOf(Version);
        return Details;
    }
}

/// <summary>What became of a package that was to be stored, changed or deleted. Of all but the first three it stays as it was.</summary>
internal abstract record PackageResult
{
    public sealed record Created(StoredPackage Package) : PackageResult;

    /// <summary>The id was there already; the package is changed, or was as it should be.</summary>
    public sealed record Present(StoredPackage Package) : PackageResult;

    public sealed record Deleted : PackageResult;

    /// <summary>There is no such package.</summary>
    public sealed record Unknown : PackageResult;

    /// <summary>It is not as the client knows it.</summary>
    public sealed record Stale : PackageResult;

    public sealed record OtherOwner : PackageResult;

    /// <summary>It has another size or weight.</summary>
    public sealed record Differs : PackageResult;

    /// <summary>The delivery request that needs it has failed, and comes late.</summary>
    public sealed record Failed : PackageResult;
}
