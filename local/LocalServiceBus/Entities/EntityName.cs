using System.Buffers;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Names as the service accepts them, which is more than its portal and resource provider do: each character may stand at either
/// end.</summary>
internal static class EntityName
{
    public const string Characters = "A-Z a-z 0-9 . _ ~ -";

    private static readonly SearchValues<char> Allowed = SearchValues.Create(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~-"
    );

    /// <summary>The name of a subscription or a rule, or a part of a path. Clients drop the parts "." and ".." from a URL.</summary>
    public static bool IsPart(string name) =>
        name is not ("" or "." or "..") && !name.AsSpan().ContainsAnyExcept(Allowed);

    /// <summary>The name of a queue or topic. No client could address one that is also the path of a subscription.</summary>
    public static bool IsPath(string name)
    {
        var parts = name.Split('/');
        return parts.All(IsPart) && !parts.Skip(1).Contains("subscriptions", StringComparer.OrdinalIgnoreCase);
    }
}
