using DroneDelivery.Contracts;

namespace DroneDelivery.Package;

/// <summary>What became of a package that was to be stored.</summary>
internal abstract record UpsertResult
{
    public sealed record Created(PackageDetails Stored) : UpsertResult;

    /// <summary>The id was there already; the package was replaced or left as it was.</summary>
    public sealed record Present(PackageDetails Stored) : UpsertResult;

    /// <summary>The id was there already, and its package stays as it was.</summary>
    public sealed record OtherOwner : UpsertResult;
}
