using System.Buffers.Text;
using System.Security.Cryptography;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace DroneDelivery.ServiceDefaults.Idempotency;

/// <summary>
/// Tells a replay of a PUT from another request with the same id. What is stored may have changed since (PATCH, DELETE), so the
/// fingerprint of the request is stored beside it.
/// </summary>
/// <remarks>
/// A member that may be absent and has its default is left out, so a member that is added later changes no fingerprint of a request
/// without it: rows that are stored match, and old and new replicas agree during an update. Never rename, move or drop a member.
/// Times are written in UTC: a client may repeat one in another time zone.
/// </remarks>
public static class Fingerprint
{
    private static readonly JsonSerializerOptions Canonical = new()
    {
        TypeInfoResolver = new DefaultJsonTypeInfoResolver { Modifiers = { LeaveOutDefaults } },
        Converters = { new UtcConverter() },
    };

    /// <summary>22 characters; equal for equal requests.</summary>
    public static string Of<T>(T request) =>
        Base64Url.EncodeToString(
            SHA256.HashData(JsonSerializer.SerializeToUtf8Bytes(request, Canonical)).AsSpan(0, 16)
        );

    private static void LeaveOutDefaults(JsonTypeInfo type)
    {
        foreach (var member in type.Properties.Where(member => !member.IsRequired))
        {
            var absent = member.PropertyType.IsValueType ? Activator.CreateInstance(member.PropertyType) : null;
            member.ShouldSerialize = (_, value) => !Equals(value, absent);
        }
    }

    private sealed class UtcConverter : JsonConverter<DateTimeOffset>
    {
        public override DateTimeOffset Read(
            ref Utf8JsonReader reader,
            Type typeToConvert,
            JsonSerializerOptions options
        ) => reader.GetDateTimeOffset();

        public override void Write(Utf8JsonWriter writer, DateTimeOffset value, JsonSerializerOptions options) =>
            writer.WriteStringValue(value.ToUniversalTime());
    }
}
