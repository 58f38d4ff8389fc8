using System.Buffers.Text;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using DroneDelivery.Messaging;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Ingestion;

/// <summary>
/// Tokens of accepted requests, which clients keep in the status URL because Ingestion stores nothing: the time in milliseconds, the
/// fingerprint, and an HMAC-SHA256 over these, the id, and the client.
/// </summary>
internal sealed class AcceptanceTokens(
    IOptions<IngestionOptions> options,
    IOptions<ServiceBusOptions> broker,
    TimeProvider time
)
{
    private readonly byte[] _key = AcceptanceSecret.GetKey(options.Value, broker.Value);
    private readonly TimeSpan _lifetime = options.Value.AcceptanceLifetime;

    /// <param name="client">The owner in the caller's token; <c>null</c> without authentication.</param>
    public string Write(string deliveryId, Acceptance acceptance, string? client = null)
    {
        var milliseconds = acceptance.At.ToUnixTimeMilliseconds().ToString(CultureInfo.InvariantCulture);
        var content = $"{milliseconds}.{acceptance.Fingerprint}";
        return $"{content}.{Base64Url.EncodeToString(SignatureOf(content, deliveryId, client))}";
    }

    /// <returns><c>null</c> if the token is invalid, or older than <c>Ingestion:AcceptanceLifetime</c>.</returns>
    public Acceptance? Read(string? token, string deliveryId, string? client = null)
    {
        if (
            token?.Split('.') is not [var milliseconds, var fingerprint, var signature]
            || !Base64Url.IsValid(signature)
        )
        {
            return null;
        }
        var expected = SignatureOf($"{milliseconds}.{fingerprint}", deliveryId, client);
        if (!CryptographicOperations.FixedTimeEquals(Base64Url.DecodeFromChars(signature), expected))
            return null;
        var at = DateTimeOffset.FromUnixTimeMilliseconds(long.Parse(milliseconds, CultureInfo.InvariantCulture));
        return time.GetUtcNow() - at <= _lifetime ? new(at, fingerprint) : null;
    }

    // Ids contain no line breaks, so the signed text is unambiguous.
    private byte[] SignatureOf(string content, string deliveryId, string? client) =>
        HMACSHA256.HashData(_key, Encoding.UTF8.GetBytes($"{content}\n{deliveryId}\n{client}"));
}
