using System.Text.Json;
using System.Text.Json.Serialization;

namespace DroneDelivery.Contracts;

/// <summary>Requires an offset. The framework would assume the local time zone, which may differ between replicas.</summary>
internal sealed class OffsetDateTimeConverter : JsonConverter<DateTimeOffset>
{
    public override DateTimeOffset Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        reader.TokenType == JsonTokenType.String
        && reader.TryGetDateTimeOffset(out var time)
        && reader.TryGetDateTime(out var local)
        && local.Kind != DateTimeKind.Unspecified
            ? time
            : throw new JsonException("Must be a date and time with an offset, such as 2030-01-31T12:00:00Z.");

    public override void Write(Utf8JsonWriter writer, DateTimeOffset value, JsonSerializerOptions options) =>
        writer.WriteStringValue(value);
}
