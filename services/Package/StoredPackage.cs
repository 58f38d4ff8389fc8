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
