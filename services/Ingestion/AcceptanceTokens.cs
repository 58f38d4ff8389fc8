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
internal sealed class AcceptanceTokens(IOptions<IngestionOptions> options, IOptions<ServiceBusOptions> broker, TimeProvider time)
    : IDisposable
{
    private const byte Version = 1;
    private const int FingerprintBytes = 16, SignatureBytes = 16;
    private const int TimeAt = 1, FingerprintAt = TimeAt + sizeof(long), SignatureAt = FingerprintAt + FingerprintBytes;
    private const int Bytes = SignatureAt + SignatureBytes;

    // One for each thread: setting up the key takes twice as long as a signature.
    private readonly ThreadLocal<IncrementalHash> _signer = new(Signer(AcceptanceSecret.Of(options.Value, broker.Value)));
    private readonly TimeSpan _lifetime = options.Value.AcceptanceLifetime;

    /// <param name="deliveryId">The delivery that was asked for.</param>
    /// <param name="acceptance">What is known of the request.</param>
    /// <param name="client">Who asked for it; null: nobody has logged in.</param>
    public string Write(string deliveryId, Acceptance acceptance, string? client = null)
    {
        Span<byte> token = stackalloc byte[Bytes];
        token[0] = Version;
        BinaryPrimitives.WriteInt64BigEndian(token[TimeAt..], acceptance.At.ToUnixTimeMilliseconds());
        Base64Url.DecodeFromChars(acceptance.Fingerprint, token[FingerprintAt..SignatureAt]);
        Sign(token[..SignatureAt], deliveryId, client, token[SignatureAt..]);
        return Base64Url.EncodeToString(token);
    }

    /// <returns>Null: it is none, of another delivery or another client, or older than <c>Ingestion:AcceptanceLifetime</c>.</returns>
    public Acceptance? Read(string? text, string deliveryId, string? client = null)
    {
        Span<byte> token = stackalloc byte[Bytes];
        Span<byte> signature = stackalloc byte[SignatureBytes];
        if (!TryDecode(text, token))
            return null;
        Sign(token[..SignatureAt], deliveryId, client, signature);
        if (!CryptographicOperations.FixedTimeEquals(signature, token[SignatureAt..]))
            return null;
        var at = DateTimeOffset.FromUnixTimeMilliseconds(BinaryPrimitives.ReadInt64BigEndian(token[TimeAt..]));
        return time.GetUtcNow() - at <= _lifetime ? new(at, Base64Url.EncodeToString(token[FingerprintAt..SignatureAt])) : null;
    }

    public void Dispose() => _signer.Dispose();

    private static Func<IncrementalHash> Signer(byte[] key) => () => IncrementalHash.CreateHMAC(HashAlgorithmName.SHA256, key);

    private static bool TryDecode(string? text, Span<byte> token) =>
        text is not null
        && text.Length == Base64Url.GetEncodedLength(Bytes)
        && Base64Url.IsValid(text, out var length)
        && length == Bytes
        && Base64Url.TryDecodeFromChars(text, token, out _)
        && token[0] == Version;

    // No id has a line break, so no id with a client reads as another.
    private void Sign(ReadOnlySpan<byte> content, string deliveryId, string? client, Span<byte> signature)
    {
        Span<byte> whole = stackalloc byte[HMACSHA256.HashSizeInBytes];
        var about = Encoding.UTF8.GetBytes($"{deliveryId}\n{client}");
        var signer = _signer.Value!;
        signer.AppendData(content);
        signer.AppendData(about);
        signer.GetHashAndReset(whole);
        whole[..SignatureBytes].CopyTo(signature);
    }
}
