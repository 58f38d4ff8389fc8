using System.Buffers;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Validates names as Service Bus does over its management API.</summary>
internal static class EntityName
{
    public const string Characters = "A-Z a-z 0-9 . _ ~ -";

    private static readonly SearchValues<char> Allowed = SearchValues.Create(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~-"
    );

    /// <summary>Validates the name of a subscription or rule, or a segment of a path. Excludes "." and "..", which
    /// clients remove from URLs.</summary>
    public static bool IsPart(string name) =>
        name is not ("" or "." or "..") && !name.AsSpan().ContainsAnyExcept(Allowed);

    /// <summary>Validates the name of a queue or topic. Excludes names that could be the path of a subscription, which
    /// clients couldn't address.</summary>
    public static bool IsPath(string name)
    {
        var parts = name.Split('/');
        return parts.All(IsPart) && !parts.Skip(1).Contains("subscriptions", StringComparer.OrdinalIgnoreCase);
    }
}
