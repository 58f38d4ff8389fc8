using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Azure.Messaging.ServiceBus;

/// <summary>A token that proves knowledge of a shared key for one resource until it expires.</summary>
internal sealed record SharedAccessSignature(string Token, DateTimeOffset ExpiresAt)
{
    private static readonly TimeSpan Validity = TimeSpan.FromMinutes(30);

    /// <param name="connection">Holds the key, or a token made elsewhere, which is used as it is.</param>
    /// <param name="resource">The address that the token is for, such as <c>sb://localhost/orders</c>.</param>
    /// <param name="time">Clock of the expiry.</param>
    public static SharedAccessSignature For(ConnectionString connection, string resource, TimeProvider time)
    {
        var expiresAt = time.GetUtcNow() + Validity;
        if (connection.Signature is { } ready)
            return new(ready, ExpiryOf(ready) ?? expiresAt);
        var audience = Uri.EscapeDataString(resource.ToLowerInvariant());
        var expiry = expiresAt.ToUnixTimeSeconds().ToString(CultureInfo.InvariantCulture);
        var signature = HMACSHA256.HashData(Encoding.UTF8.GetBytes(connection.Key!), Encoding.UTF8.GetBytes($"{audience}\n{expiry}"));
        return new(
            $"SharedAccessSignature sr={audience}&sig={Uri.EscapeDataString(Convert.ToBase64String(signature))}"
                + $"&se={expiry}&skn={Uri.EscapeDataString(connection.KeyName!)}",
            expiresAt);
    }

    private static DateTimeOffset? ExpiryOf(string token)
    {
        var at = token.IndexOf("se=", StringComparison.Ordinal);
        if (at < 0)
            return null;
        var digits = token[(at + 3)..].Split('&')[0];
        return long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out var seconds)
            ? DateTimeOffset.FromUnixTimeSeconds(seconds)
            : null;
    }
}
