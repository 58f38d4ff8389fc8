namespace DroneDelivery.Package;

/// <summary>Outcome of a create, update or delete. Every outcome except the first three leaves the package unchanged.</summary>
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
