using System.Buffers.Text;
using System.Security.Cryptography;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace DroneDelivery.ServiceDefaults.Idempotency;

/// <summary>
/// Tells a replay of a PUT from another request with the same id. What is stored may have changed since (PATCH, DELETE), so the
/// fingerprint of the request is stored beside it.
/// </summary>
public static class Fingerprint
{
    // Nulls are left out, so that an optional property added later does not turn old requests into different ones.
    private static readonly JsonSerializerOptions Canonical = new() { DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull };

    /// <summary>22 characters; equal for equal requests.</summary>
    public static string Of<T>(T request) =>
        Base64Url.EncodeToString(SHA256.HashData(JsonSerializer.SerializeToUtf8Bytes(request, Canonical)).AsSpan(0, 16));
}
