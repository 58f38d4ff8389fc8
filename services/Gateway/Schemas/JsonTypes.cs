using System.Text.Json;

namespace DroneDelivery.Gateway.Schemas;

[Flags]
internal enum JsonTypes
{
    None = 0,
    Null = 1,
    Boolean = 2,
    Number = 4,
    String = 8,
    Array = 16,
    Object = 32,
    Any = 63,
}

internal static class JsonTypeNames
{
    extension(JsonTypes types)
    {
        public static JsonTypes Of(JsonTokenType token) => token switch
        {
            JsonTokenType.Null => JsonTypes.Null,
            JsonTokenType.True or JsonTokenType.False => JsonTypes.Boolean,
            JsonTokenType.Number => JsonTypes.Number,
            JsonTokenType.String => JsonTypes.String,
            JsonTokenType.StartArray => JsonTypes.Array,
            JsonTokenType.StartObject => JsonTypes.Object,
            _ => JsonTypes.None,
        };

        /// <returns>None: JSON Schema has no such type.</returns>
        public static JsonTypes Named(string? name) => name switch
        {
            "null" => JsonTypes.Null,
            "boolean" => JsonTypes.Boolean,
            "number" or "integer" => JsonTypes.Number,
            "string" => JsonTypes.String,
            "array" => JsonTypes.Array,
            "object" => JsonTypes.Object,
            _ => JsonTypes.None,
        };

        public string Describe() =>
            string.Join(" or ", Enum.GetValues<JsonTypes>().Where(one => int.PopCount((int)one) == 1 && types.HasFlag(one)).Select(NameOf));
    }

    private static string NameOf(JsonTypes type) => type switch
    {
        JsonTypes.Null => "null",
        JsonTypes.Boolean => "true or false",
        JsonTypes.Number => "a number",
        JsonTypes.String => "a text",
        JsonTypes.Array => "a list",
        _ => "a JSON object",
    };
}
