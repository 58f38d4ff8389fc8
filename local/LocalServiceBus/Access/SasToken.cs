using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Access;

/// <summary>A shared access signature: <c>SharedAccessSignature
/// sr=RESOURCE&amp;sig=SIGNATURE&amp;se=EXPIRY&amp;skn=RULE</c>, in any order. The signature is the HMAC-SHA256 of the
/// encoded resource, a line feed, and the expiry.</summary>
internal sealed record SasToken(string Resource, string Expiry, DateTimeOffset ExpiresAt, byte[] Signature, string Rule)
{
    private const string Scheme = "SharedAccessSignature ";

    private const int MaxTokenLength = 8192;

    /// <summary>The entity that the token is for; empty for the namespace. Ignores scheme and host, because the broker
    /// has several addresses.</summary>
    public string Path => EntityAddress.Parse(Uri.UnescapeDataString(Resource).Split('?')[0]).AccessPath;

    public static bool IsOne(string text) => text.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase);

    public static SasToken? TryParse(string text)
    {
        if (!IsOne(text) || text.Length > MaxTokenLength)
            return null;
        var fields = new Dictionary<string, string>();
        foreach (var field in text[Scheme.Length..].Split('&'))
        {
            if (field.Split('=', 2) is not [var name, var value] || !fields.TryAdd(name.Trim(), value.Trim()))
                return null;
        }
        if (
            !fields.TryGetValue("sr", out var resource)
            || !fields.TryGetValue("se", out var expiry)
            || !fields.TryGetValue("sig", out var signature)
            || !fields.TryGetValue("skn", out var rule)
        )
        {
            return null;
        }

        var bytes = new byte[HMACSHA256.HashSizeInBytes];
        return
            EndOf(expiry) is { } expiresAt
            && Convert.TryFromBase64String(Uri.UnescapeDataString(signature), bytes, out var length)
            && length == bytes.Length
            ? new SasToken(resource, expiry, expiresAt, bytes, Uri.UnescapeDataString(rule))
            : null;
    }

    public bool IsSignedWith(string key) =>
        CryptographicOperations.FixedTimeEquals(
            HMACSHA256.HashData(Encoding.UTF8.GetBytes(key), Encoding.UTF8.GetBytes($"{Resource}\n{Expiry}")),
            Signature
        );

    /// <summary>Parses seconds since 1970. Values beyond the calendar mean that the token doesn't expire.</summary>
    private static DateTimeOffset? EndOf(string text)
    {
        if (!long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var seconds))
            return null;
        return seconds < DateTimeOffset.MaxValue.ToUnixTimeSeconds()
            ? DateTimeOffset.FromUnixTimeSeconds(seconds)
            : DateTimeOffset.MaxValue;
    }
}
