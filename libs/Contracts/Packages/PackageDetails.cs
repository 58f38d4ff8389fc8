using System.ComponentModel.DataAnnotations;
using System.Text.Json.Serialization;

namespace DroneDelivery.Contracts;

public enum PackageSize
{
    Small,
    Medium,
    Large,
}

/// <summary>Limits for weights, in kilograms, and tags, in characters.</summary>
public static class PackageLimits
{
    public const double MinWeight = 0.001;
    public const double MaxWeight = 1_000;
    public const int MaxTagLength = 100;
}

/// <summary>Body of <c>PUT /api/packages/{id}</c>.</summary>
public sealed record PackageUpsert
{
    [Id]
    public required string OwnerId { get; init; }

    public required PackageSize Size { get; init; }

    /// <summary>In kilograms.</summary>
    [Range(PackageLimits.MinWeight, PackageLimits.MaxWeight)]
    public required double Weight { get; init; }

    [StringLength(PackageLimits.MaxTagLength), PlainText]
    public string? Tag { get; init; }
}

/// <summary>Body of <c>PATCH /api/packages/{id}</c>.</summary>
[JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Disallow)]
public sealed record PackagePatch : IPatch
{
    public PackageSize? Size { get; init; }

    /// <summary>In kilograms.</summary>
    [Range(PackageLimits.MinWeight, PackageLimits.MaxWeight)]
    public double? Weight { get; init; }

    [StringLength(PackageLimits.MaxTagLength), PlainText]
    public string? Tag { get; init; }
}

public sealed record PackageDetails
{
    [Id]
    public required string Id { get; init; }

    [Id]
    public required string OwnerId { get; init; }

    public required PackageSize Size { get; init; }

    public required double Weight { get; init; }

    public string? Tag { get; init; }
}

/// <summary>Response of <c>GET /api/packages?ownerId=OWNER</c>.</summary>
public sealed record PackagePage
{
    public required IReadOnlyList<PackageDetails> Packages { get; init; }

    /// <summary>URL of the next page; <c>null</c> on the last page.</summary>
    public string? Next { get; init; }
}

/// <summary>
/// Response of <c>GET /api/packages/summary/{ownerId}</c>: all packages of an owner, with their total weight in kilograms.
/// </summary>
public sealed record PackageSummary
{
    public required string OwnerId { get; init; }

    public required int Count { get; init; }

    public required double TotalWeight { get; init; }
}
