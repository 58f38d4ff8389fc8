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
/// <param name="evenAtDefault">Members that may be absent and yet were always written. Rows have them; add none.</param>
public sealed class Fingerprint(params string[] evenAtDefault)
{
    private readonly JsonSerializerOptions _canonical = Options(evenAtDefault, new UtcConverter()), _asSent = Options(evenAtDefault);

    /// <summary>22 characters; equal for equal requests.</summary>
    public string Of<T>(T request) => Of(request, _canonical);

    /// <summary>Whether it is the fingerprint of this request. Versions before took times with the offset that the client sent.</summary>
    public bool IsOf<T>(string fingerprint, T request) => fingerprint == Of(request, _canonical) || fingerprint == Of(request, _asSent);

    private static string Of<T>(T request, JsonSerializerOptions options) =>
        Base64Url.EncodeToString(SHA256.HashData(JsonSerializer.SerializeToUtf8Bytes(request, options)).AsSpan(0, 16));

    private static JsonSerializerOptions Options(string[] evenAtDefault, params JsonConverter[] converters)
    {
        var options = new JsonSerializerOptions
        {
            TypeInfoResolver = new DefaultJsonTypeInfoResolver { Modifiers = { type => LeaveOutDefaults(type, evenAtDefault) } },
        };
        Array.ForEach(converters, options.Converters.Add);
        return options;
    }

    private static void LeaveOutDefaults(JsonTypeInfo type, string[] evenAtDefault)
    {
        foreach (var member in type.Properties.Where(member => !member.IsRequired && !evenAtDefault.Contains(member.Name)))
        {
            var absent = member.PropertyType.IsValueType ? Activator.CreateInstance(member.PropertyType) : null;
            member.ShouldSerialize = (_, value) => !Equals(value, absent);
        }
    }

    private sealed class UtcConverter : JsonConverter<DateTimeOffset>
    {
        public override DateTimeOffset Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
            reader.GetDateTimeOffset();

        public override void Write(Utf8JsonWriter writer, DateTimeOffset value, JsonSerializerOptions options) =>
            writer.WriteStringValue(value.ToUniversalTime());
    }
}
