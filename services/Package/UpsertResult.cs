namespace DroneDelivery.Package;

/// <summary>What became of a package that was to be stored.</summary>
internal abstract record UpsertResult
{
    public sealed record Created(StoredPackage Package) : UpsertResult;

    /// <summary>The id was there already; the package was replaced or left as it was.</summary>
    public sealed record Present(StoredPackage Package) : UpsertResult;

    /// <summary>The id was there already, and its package stays as it was.</summary>
    public sealed record OtherOwner : UpsertResult;

    /// <summary>It is not as the client knows it, and stays as it is.</summary>
    public sealed record Stale : UpsertResult;

    /// <summary>The id was there already, for a package of another size or weight, which stays as it was.</summary>
    public sealed record Differs : UpsertResult;

    /// <summary>The delivery request that needs it has failed, and comes late.</summary>
    public sealed record Failed : UpsertResult;
}
