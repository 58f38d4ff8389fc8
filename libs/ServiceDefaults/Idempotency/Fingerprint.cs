using System.Buffers.Text;
using System.Security.Cryptography;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace DroneDelivery.ServiceDefaults.Idempotency;

/// <summary>
/// Tells a replay of a PUT from another request with the same id. What is stored may have changed since (PATCH, DELETE), so the
/// fingerprint of the request is stored beside it.
/// </summary>
/// <remarks>
/// A member that may be absent and has its default is left out, so a member that is added later changes no fingerprint of a request
/// without it: rows that are stored match, and old and new replicas agree during an update. Never rename, move or drop a member.
/// </remarks>
/// <param name="evenAtDefault">Members that may be absent and yet were always written. Rows have them; add none.</param>
public sealed class Fingerprint(params string[] evenAtDefault)
{
    private readonly JsonSerializerOptions _canonical = new()
    {
        TypeInfoResolver = new DefaultJsonTypeInfoResolver { Modifiers = { type => LeaveOutDefaults(type, evenAtDefault) } },
    };

    /// <summary>22 characters; equal for equal requests.</summary>
    public string Of<T>(T request) =>
        Base64Url.EncodeToString(SHA256.HashData(JsonSerializer.SerializeToUtf8Bytes(request, _canonical)).AsSpan(0, 16));

    private static void LeaveOutDefaults(JsonTypeInfo type, string[] evenAtDefault)
    {
        foreach (var member in type.Properties.Where(member => !member.IsRequired && !evenAtDefault.Contains(member.Name)))
        {
            var absent = member.PropertyType.IsValueType ? Activator.CreateInstance(member.PropertyType) : null;
            member.ShouldSerialize = (_, value) => !Equals(value, absent);
        }
    }
}
