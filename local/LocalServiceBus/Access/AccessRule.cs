using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Access;

/// <summary>What the holder of a key may do, as Service Bus names it.</summary>
[Flags]
internal enum AccessRights
{
    None = 0,

    /// <summary>Receive, settle, peek.</summary>
    Listen = 1,

    /// <summary>Send, schedule, cancel what was scheduled.</summary>
    Send = 2,

    /// <summary>Change entities. A rule with it has the two others too.</summary>
    Manage = 4,

    All = Listen | Send | Manage,
}

/// <summary>A key, and what it is good for. Applies to the whole namespace, or to the entity that declares it; a token may name one
/// entity.</summary>
internal sealed record AccessRule(string Name, string Key, AccessRights Rights)
{
    /// <summary>What the official emulator and its documentation call it. The key is known to everybody: it keeps nobody out.</summary>
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

/// <summary>What a client has proved that it may do.</summary>
/// <param name="Path">With the entity of this name, and what is below it; empty: with all.</param>
internal readonly record struct Grant(string Path, AccessRights Rights, DateTimeOffset EndsAt)
{
    /// <param name="path">Of an entity; empty: the namespace.</param>
    /// <param name="anyOf">One of them is enough; Manage always is.</param>
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
