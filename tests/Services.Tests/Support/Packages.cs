using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Support;

internal static class Packages
{
    public static PackageUpsert Sample { get; } = new() { OwnerId = "owner-1", Size = PackageSize.Medium, Weight = 2.5, Tag = "books" };
}
