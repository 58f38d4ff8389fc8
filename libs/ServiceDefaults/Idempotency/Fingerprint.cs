using System.Buffers.Text;
using System.Security.Cryptography;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace DroneDelivery.ServiceDefaults.Idempotency;

/// <summary>Fingerprints of requests, which distinguish a replay of a PUT from another request with the same id.</summary>
/// <remarks>
/// Optional properties with default values are omitted, so that adding one changes no stored fingerprint. Never rename, move, or remove a
/// property. Times are in UTC, because a replay may use another time zone.
/// </remarks>
public static class Fingerprint
{
    private static readonly JsonSerializerOptions Canonical = new()
    {
        TypeInfoResolver = new DefaultJsonTypeInfoResolver { Modifiers = { LeaveOutDefaults } },
        Converters = { new UtcConverter() },
    };

    /// <summary>Returns a fingerprint of 22 characters.</summary>
    public static string Compute<T>(T request) =>
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
