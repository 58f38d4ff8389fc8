namespace DroneDelivery.Package;

/// <summary>What became of a package that was to be changed or deleted.</summary>
internal abstract record ChangeResult
{
    public sealed record Changed(StoredPackage Package) : ChangeResult;

    public sealed record Deleted : ChangeResult;

    /// <summary>It is not as the client knows it, and stays as it is.</summary>
    public sealed record Stale : ChangeResult;

    /// <summary>There is no such package.</summary>
    public sealed record Unknown : ChangeResult;
}
