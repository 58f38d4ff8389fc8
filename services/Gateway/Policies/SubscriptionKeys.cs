using System.Security.Cryptography;
using System.Text;
using DroneDelivery.Gateway.Routes;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;

namespace DroneDelivery.Gateway.Policies;

/// <summary>
/// Who has which key. Digests are compared, each of them to its end, so the time that an answer takes tells nothing about a key, not even
/// its length.
/// </summary>
internal sealed class SubscriptionKeys(IOptions<GatewayOptions> options)
{
    private readonly (string Subscriber, byte[] Digest)[] _keys =
        [.. options.Value.Keys.Select(key => (key.Key, SHA256.HashData(Encoding.UTF8.GetBytes(key.Value))))];

    /// <returns>Null: nobody's.</returns>
    public string? SubscriberOf(StringValues header)
    {
        if (header.Count != 1 || header[0] is not { Length: > 0 and <= GatewayOptions.LongestKey } key)
            return null;
        Span<byte> bytes = stackalloc byte[Encoding.UTF8.GetMaxByteCount(GatewayOptions.LongestKey)];
        Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(bytes[..Encoding.UTF8.GetBytes(key, bytes)], digest);
        string? found = null;
        foreach (var (subscriber, known) in _keys)
        {
            if (CryptographicOperations.FixedTimeEquals(known, digest))
                found = subscriber;
        }
        return found;
    }
}
