using System.Text.Json;
using System.Text.Json.Serialization;

namespace DroneDelivery.Contracts;

/// <summary>
/// Converts enums by exact name. The framework's converter ignores case and accepts combinations such as <c>Small, Medium</c>.
/// </summary>
internal sealed class EnumNameConverterFactory : JsonConverterFactory
{
    public override bool CanConvert(Type typeToConvert) => typeToConvert.IsEnum;

    public override JsonConverter CreateConverter(Type typeToConvert, JsonSerializerOptions options) =>
        (JsonConverter)Activator.CreateInstance(typeof(EnumNameConverter<>).MakeGenericType(typeToConvert))!;
}

internal sealed class EnumNameConverter<T> : JsonConverter<T>
    where T : struct, Enum
{
    private static readonly Dictionary<string, T> Values = Enum.GetValues<T>().ToDictionary(value => value.ToString());

    public override T Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        reader.TokenType == JsonTokenType.String && Values.TryGetValue(reader.GetString()!, out var value)
            ? value
            : throw new JsonException($"Must be one of {string.Join(", ", Enum.GetNames<T>())}.");

    public override void Write(Utf8JsonWriter writer, T value, JsonSerializerOptions options) =>
        writer.WriteStringValue(value.ToString());
}
