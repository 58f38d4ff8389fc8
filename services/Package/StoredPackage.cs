using DroneDelivery.Contracts;

namespace DroneDelivery.Package;

/// <summary>A package, and the version that it is.</summary>
internal sealed record StoredPackage(PackageDetails Details, string Version)
{
    /// <returns>The body of an answer that has the version as its <c>ETag</c>.</returns>
    public PackageDetails TaggedIn(HttpResponse response)
    {
        response.Headers.ETag = IfMatch.TagOf(Version);
        return Details;
    }
}
