using System.Text.Json;
using System.Text.Json.Serialization;
using System.Xml;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Configuration;

/// <summary>Durations as ISO 8601 writes them: <c>PT1M30S</c>, <c>P14D</c>.</summary>
internal static class IsoDuration
{
    /// <exception cref="FormatException">It is none, or beyond <see cref="TimeSpan.MaxValue"/>.</exception>
    public static TimeSpan Parse(string text)
    {
        try
        {
            return XmlConvert.ToTimeSpan(text);
        }
        catch (Exception error) when (error is FormatException or OverflowException)
        {
            throw new FormatException($"'{Excerpt.Of(text)}' is not an ISO 8601 duration such as PT30S or P14D.", error);
        }
    }

    public static string Format(TimeSpan duration) => XmlConvert.ToString(duration);
}

internal sealed class IsoDurationConverter : JsonConverter<TimeSpan>
{
    public override TimeSpan Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        try
        {
            return IsoDuration.Parse(reader.TokenType == JsonTokenType.String ? reader.GetString()! : reader.TokenType.ToString());
        }
        catch (FormatException error)
        {
            throw new JsonException(error.Message, error);
        }
    }

    public override void Write(Utf8JsonWriter writer, TimeSpan value, JsonSerializerOptions options) =>
        writer.WriteStringValue(IsoDuration.Format(value));
}
