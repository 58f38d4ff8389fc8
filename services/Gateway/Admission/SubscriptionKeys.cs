using System.Security.Claims;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;

namespace DroneDelivery.Gateway.Admission;

/// <summary>
/// Who has which key. Digests are compared, each of them to its end, so the time that an answer takes tells nothing about a key, not even
/// its length.
/// </summary>
internal sealed class SubscriptionKeys(IOptions<GatewayOptions> options)
{
    public const string Header = "Ocp-Apim-Subscription-Key";

    private readonly (ClaimsPrincipal Subscriber, byte[] Digest)[] _keys =
    [
        .. options.Value.Keys.Select(key => (Subscriber(key.Key), SHA256.HashData(Encoding.UTF8.GetBytes(key.Value)))),
    ];

    /// <returns>Null: nobody's.</returns>
    public ClaimsPrincipal? SubscriberOf(StringValues header)
    {
        Span<byte> key = stackalloc byte[GatewayOptions.LongestKey],
            digest = stackalloc byte[SHA256.HashSizeInBytes];
        if (header.Count != 1 || !Encoding.UTF8.TryGetBytes(header[0], key, out var length))
            return null;
        SHA256.HashData(key[..length], digest);
        ClaimsPrincipal? found = null;
        foreach (var (subscriber, known) in _keys)
        {
            if (CryptographicOperations.FixedTimeEquals(known, digest))
                found = subscriber;
        }
        return found;
    }

    private static ClaimsPrincipal Subscriber(string name) =>
        new(new ClaimsIdentity([new(ClaimTypes.Name, name)], "ApiKey"));
}
