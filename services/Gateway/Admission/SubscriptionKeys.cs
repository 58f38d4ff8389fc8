using System.Security.Claims;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;

namespace DroneDelivery.Gateway.Admission;

/// <summary>Looks up subscribers by the digest of their key, so that the lookup time reveals nothing about keys.</summary>
internal sealed class SubscriptionKeys(IOptions<GatewayOptions> options)
{
    public const string Header = "Ocp-Apim-Subscription-Key";

    private readonly ILookup<string, ClaimsPrincipal> _subscribers = options.Value.Keys.ToLookup(
        key => DigestOf(key.Value),
        key => Subscriber(key.Key)
    );

    /// <returns><c>null</c> if the key belongs to no subscriber.</returns>
    public ClaimsPrincipal? SubscriberOf(StringValues header)
    {
        if (header.Count != 1)
            return null;
        return _subscribers[DigestOf(header.ToString())].LastOrDefault();
    }

    private static string DigestOf(string key) => Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(key)));

    private static ClaimsPrincipal Subscriber(string name) =>
        new(new ClaimsIdentity([new(ClaimTypes.Name, name)], "ApiKey"));
}
