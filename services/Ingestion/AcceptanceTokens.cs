using System.Buffers.Binary;
using System.Buffers.Text;
using System.Security.Cryptography;
using System.Text;
using DroneDelivery.Messaging;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Ingestion;

/// <param name="At">When the request was accepted, to the millisecond.</param>
/// <param name="Fingerprint">Of the request: <see cref="ScheduleDelivery.FingerprintOf"/>.</param>
internal sealed record Acceptance(DateTimeOffset At, string Fingerprint);

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

/// <summary>The key that signs Locations. All replicas have the same, so each reads what another wrote.</summary>
internal static class AcceptanceSecret
{
    public const string HowToMake = "`openssl rand -base64 32` makes one; give all replicas the same.";

    private const int Bytes = 32;

    // Whoever learns a derived key knows nothing of the one that opens the queue.
    private static readonly byte[] Purpose = "drone-delivery/acceptance"u8.ToArray();

    private const string SharedAccessKey = "SharedAccessKey=";

    public static bool IsKey(string text)
    {
        var bytes = new byte[text.Length];
        return Convert.TryFromBase64String(text, bytes, out var length) && length >= Bytes;
    }

    /// <summary>Whether there is one: who opens the queue by identity shares no key from which it could be derived.</summary>
    public static bool Exists(IngestionOptions options, string? connectionString) =>
        !string.IsNullOrEmpty(options.AcceptanceKey) || SharedKeyIn(connectionString) is not null;

    public static byte[] Of(IngestionOptions options, ServiceBusOptions broker) =>
        string.IsNullOrEmpty(options.AcceptanceKey)
            ? HKDF.DeriveKey(
                HashAlgorithmName.SHA256,
                Encoding.UTF8.GetBytes(SharedKeyIn(broker.ConnectionString)!),
                Bytes,
                info: Purpose
            )
            : Convert.FromBase64String(options.AcceptanceKey);

    private static string? SharedKeyIn(string? connectionString) =>
        connectionString
            ?.Split(';', StringSplitOptions.TrimEntries)
            .Where(part =>
                part.StartsWith(SharedAccessKey, StringComparison.OrdinalIgnoreCase)
                && part.Length > SharedAccessKey.Length
            )
            .Select(part => part[SharedAccessKey.Length..])
            .FirstOrDefault();
}
