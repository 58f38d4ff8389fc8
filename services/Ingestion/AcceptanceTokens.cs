using System.Buffers.Binary;
using System.Buffers.Text;
using System.Security.Cryptography;
using System.Text;
using DroneDelivery.Messaging;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Ingestion;

/// <summary>
/// What Ingestion, which stores nothing, knows of a request that it has accepted: the client keeps it, in Location, and cannot forge it.
/// 55 characters: version, time, fingerprint, and the first half of an HMAC-SHA256 over these, the id and the client.
/// </summary>
internal sealed class AcceptanceTokens(
    IOptions<IngestionOptions> options,
    IOptions<ServiceBusOptions> broker,
    TimeProvider time
)
{
    private const byte Version = 1;
    private const int FingerprintBytes = 16,
        SignatureBytes = 16;
    private const int TimeAt = 1,
        FingerprintAt = TimeAt + sizeof(long),
        SignatureAt = FingerprintAt + FingerprintBytes;
    private const int Bytes = SignatureAt + SignatureBytes;

    private readonly byte[] _key = AcceptanceSecret.Of(options.Value, broker.Value);
    private readonly TimeSpan _lifetime = options.Value.AcceptanceLifetime;

    /// <param name="client">Who asked for it; null: nobody has logged in.</param>
    public string Write(string deliveryId, Acceptance acceptance, string? client = null)
    {
        Span<byte> token = stackalloc byte[Bytes];
        token[0] = Version;
        BinaryPrimitives.WriteInt64BigEndian(token[TimeAt..], acceptance.At.ToUnixTimeMilliseconds());
        Base64Url.DecodeFromChars(acceptance.Fingerprint, token[FingerprintAt..SignatureAt]);
        SignatureOf(token[..SignatureAt], deliveryId, client).CopyTo(token[SignatureAt..]);
        return Base64Url.EncodeToString(token);
    }

    /// <returns>Null: it is none, of another delivery or another client, or older than <c>Ingestion:AcceptanceLifetime</c>.</returns>
    public Acceptance? Read(string? text, string deliveryId, string? client = null)
    {
        if (text is null || !Base64Url.IsValid(text, out var length) || length != Bytes)
            return null;
        var token = Base64Url.DecodeFromChars(text).AsSpan();
        var signature = SignatureOf(token[..SignatureAt], deliveryId, client);
        if (token[0] != Version || !CryptographicOperations.FixedTimeEquals(signature, token[SignatureAt..]))
            return null;
        var at = DateTimeOffset.FromUnixTimeMilliseconds(BinaryPrimitives.ReadInt64BigEndian(token[TimeAt..]));
        return time.GetUtcNow() - at <= _lifetime
            ? new(at, Base64Url.EncodeToString(token[FingerprintAt..SignatureAt]))
            : null;
    }

    // No id has a line break, so no id with a client reads as another.
    private Span<byte> SignatureOf(ReadOnlySpan<byte> content, string deliveryId, string? client)
    {
        byte[] signed = [.. content, .. Encoding.UTF8.GetBytes($"{deliveryId}\n{client}")];
        return HMACSHA256.HashData(_key, signed).AsSpan(..SignatureBytes);
    }
}
