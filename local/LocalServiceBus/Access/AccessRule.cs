using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Access;

/// <summary>The claims of a shared access rule.</summary>
[Flags]
internal enum AccessRights
{
    None = 0,

    Listen = 1,

    Send = 2,

    /// <summary>Change entities. Implies the other two.</summary>
    Manage = 4,

    All = Listen | Send | Manage,
}

/// <summary>A shared access rule and one of its keys, for the namespace or for the entity that declares it.</summary>
internal sealed record AccessRule(string Name, string Key, AccessRights Rights)
{
    /// <summary>The rule and key of the official emulator. They're public, so they protect nothing.</summary>
    public static AccessRule WellKnown { get; } = new("RootManageSharedAccessKey", "SAS_KEY_VALUE", AccessRights.All);

    public bool IsWellKnown => Key == WellKnown.Key;

    public static IEnumerable<AccessRule> Of(EntityKeys keys)
    {
        var rights = keys.Rights.Aggregate(AccessRights.None, (all, right) => all | Enum.Parse<AccessRights>(right));
        if (rights.HasFlag(AccessRights.Manage))
            rights = AccessRights.All;
        return [new(keys.Name, keys.PrimaryKey, rights), new(keys.Name, keys.SecondaryKey, rights)];
    }
}

/// <param name="Path">The entity that the grant covers, with its subentities; empty for the whole namespace.</param>
internal readonly record struct Grant(string Path, AccessRights Rights, DateTimeOffset EndsAt)
{
    public bool Covers(string path, AccessRights anyOf) =>
        (Rights & (anyOf | AccessRights.Manage)) != 0
        && (
            Path.Length == 0
            || path.Equals(Path, StringComparison.OrdinalIgnoreCase)
            || (
                path.Length > Path.Length
                && path[Path.Length] == '/'
                && path.StartsWith(Path, StringComparison.OrdinalIgnoreCase)
            )
        );
}
