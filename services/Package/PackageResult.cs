namespace DroneDelivery.Package;

/// <summary>The outcome of a create, update, or delete. Every outcome except the first three leaves the package unchanged.</summary>
internal abstract record PackageResult
{
    public sealed record Created(StoredPackage Package) : PackageResult;

    /// <summary>The package exists, and is changed or already up to date.</summary>
    public sealed record Present(StoredPackage Package) : PackageResult;

    public sealed record Deleted : PackageResult;

    public sealed record Unknown : PackageResult;

    /// <summary>The client expects another version.</summary>
    public sealed record Stale : PackageResult;

    public sealed record OtherOwner : PackageResult;

    public sealed record Differs : PackageResult;

    /// <summary>The delivery request that needs the package has failed.</summary>
    public sealed record Failed : PackageResult;
}
