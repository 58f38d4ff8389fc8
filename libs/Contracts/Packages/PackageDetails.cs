using System.ComponentModel.DataAnnotations;
using System.Text.Json.Serialization;

namespace DroneDelivery.Contracts;

public enum PackageSize
{
    Small,
    Medium,
    Large,
}

/// <summary>What a weight (kg) and a tag may be, wherever a package is described.</summary>
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

    /// <summary>Kilograms.</summary>
    [Range(PackageLimits.MinWeight, PackageLimits.MaxWeight)]
    public required double Weight { get; init; }

    [StringLength(PackageLimits.MaxTagLength), PlainText]
    public string? Tag { get; init; }
}

/// <summary>Body of <c>PATCH /api/packages/{id}</c>; what is absent stays.</summary>
[JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Disallow)]
public sealed record PackagePatch : IPatch
{
    public PackageSize? Size { get; init; }

    /// <summary>Kilograms.</summary>
    [Range(PackageLimits.MinWeight, PackageLimits.MaxWeight)]
    public double? Weight { get; init; }

    [StringLength(PackageLimits.MaxTagLength), PlainText]
    public string? Tag { get; init; }
}

/// <summary>A package as it is stored. Weight in kilograms.</summary>
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

/// <summary>Answer of <c>GET /api/packages?ownerId=OWNER</c>.</summary>
public sealed record PackagePage
{
    public required IReadOnlyList<PackageDetails> Packages { get; init; }

    /// <summary>Where the next page is; absent on the last one.</summary>
    public string? Next { get; init; }
}

/// <summary>Answer of <c>GET /api/packages/summary/{ownerId}</c>: everything the owner has stored, weight in kilograms.</summary>
public sealed record PackageSummary
{
    public required string OwnerId { get; init; }

    public required int Count { get; init; }

    public required double TotalWeight { get; init; }
}
