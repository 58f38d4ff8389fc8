using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace DroneDelivery.Gateway.Schemas;

/// <summary>The words of JSON Schema that are known here, and what they say.</summary>
internal static partial class SchemaWords
{
    public const string Reference = "$ref";

    /// <summary>They say nothing about what is valid. A format does only where it is that of a time.</summary>
    private static readonly string[] Remarks =
    [
        "title", "description", "default", "example", "examples", "deprecated", "readOnly", "writeOnly", "externalDocs", "$comment",
        "format",
    ];

    private static readonly string[] Rules =
    [
        "type", "enum", "const", "properties", "required", "additionalProperties", "minProperties", "maxProperties", "items", "minItems",
        "maxItems", "minLength", "maxLength", "pattern", "formatMinimum", "formatMaximum", "minimum", "maximum", "exclusiveMinimum",
        "exclusiveMaximum", "anyOf", "oneOf",
    ];

    public static bool IsRemark(string word) => Remarks.Contains(word) || word.StartsWith("x-", StringComparison.Ordinal);

    /// <exception cref="NotSupportedException">It has a word that is not known.</exception>
    public static void RequireKnown(JsonElement schema, string where)
    {
        if (schema.ValueKind != JsonValueKind.Object)
            throw new NotSupportedException($"{where} is no schema.");
        foreach (var word in schema.EnumerateObject().Select(word => word.Name))
        {
            if (!IsRemark(word) && !Rules.Contains(word))
                throw new NotSupportedException($"{where}: '{word}' is not known.");
        }
    }

    public static JsonTypes Types(this JsonElement schema, string where)
    {
        var types = TypeNames(schema).Aggregate(JsonTypes.None, (all, name) => all | JsonTypes.Named(name));
        if (TypeNames(schema).Any(name => JsonTypes.Named(name) == JsonTypes.None))
            throw new NotSupportedException($"{where}: its type is not known.");
        if (types == JsonTypes.None)
            types = JsonTypes.Any;
        var named = schema.NamedTexts();
        return named is null ? types : types & (named.Contains(null) ? JsonTypes.String | JsonTypes.Null : JsonTypes.String);
    }

    public static TextRules TextRules(this JsonElement schema, string where) => new()
    {
        Names = schema.NamedTexts()?.OfType<string>().ToArray(),
        Least = schema.Least("minLength"),
        Most = schema.Most("maxLength"),
        Pattern = schema.TryGetProperty("pattern", out var pattern) ? PatternOf(pattern.GetString()!, where) : null,
        IsTime = schema.HasFormat("date-time"),
        Earliest = Time(schema, "formatMinimum"),
        Latest = Time(schema, "formatMaximum"),
    };

    public static NumberRules NumberRules(this JsonElement schema) => new()
    {
        Bits = !TypeNames(schema).Contains("integer") || TypeNames(schema).Contains("number") ? 0 : schema.HasFormat("int32") ? 32 : 64,
        Least = Number(schema, "minimum"),
        Most = Number(schema, "maximum"),
        Above = Number(schema, "exclusiveMinimum"),
        Below = Number(schema, "exclusiveMaximum"),
    };

    public static string[]? Texts(this JsonElement schema, string word) =>
        schema.TryGetProperty(word, out var list) ? [.. list.EnumerateArray().Select(one => one.GetString()!)] : null;

    public static int Least(this JsonElement schema, string word) => schema.TryGetProperty(word, out var number) ? number.GetInt32() : 0;

    public static int Most(this JsonElement schema, string word) =>
        schema.TryGetProperty(word, out var number) ? number.GetInt32() : int.MaxValue;

    private static string[] TypeNames(JsonElement schema) =>
        !schema.TryGetProperty("type", out var type) ? []
        : type.ValueKind == JsonValueKind.Array ? [.. type.EnumerateArray().Select(one => one.GetString()!)]
        : [type.GetString()!];

    // GetString refuses whatever is neither a text nor null.
    private static string?[]? NamedTexts(this JsonElement schema) =>
        schema.TryGetProperty("const", out var only) ? [only.GetString()]
        : schema.TryGetProperty("enum", out var list) ? [.. list.EnumerateArray().Select(one => one.GetString())]
        : null;

    private static bool HasFormat(this JsonElement schema, string name) =>
        schema.TryGetProperty("format", out var format) && format.ValueEquals(name);

    private static DateTimeOffset? Time(JsonElement schema, string word) =>
        schema.TryGetProperty(word, out var time) ? DateTimeOffset.Parse(time.GetString()!, CultureInfo.InvariantCulture) : null;

    private static double? Number(JsonElement schema, string word) =>
        schema.TryGetProperty(word, out var number) ? number.GetDouble() : null;

    /// <summary>As JSON Schema means it, and linear in the text whatever it says.</summary>
    private static Regex PatternOf(string pattern, string where)
    {
        if (OtherMeaning().Match(pattern) is { Success: true } escape)
            throw new NotSupportedException($"{where}: '{escape}' in a pattern is not known.");
        try
        {
            // In .NET's own meaning an end also stands before a last line feed.
            var strict = EndOfText().Replace(pattern, match => match.Value == "$" ? "\\z" : match.Value);
            return new(strict, RegexOptions.NonBacktracking | RegexOptions.CultureInvariant);
        }
        catch (ArgumentException exception)
        {
            throw new NotSupportedException($"{where}: {exception.Message}", exception);
        }
    }

    // A sign that is escaped, a set of signs, or an end.
    [GeneratedRegex(@"\\.|\[(?:\\.|[^\]\\])*\]|\$", RegexOptions.Singleline)]
    private static partial Regex EndOfText();

    // Classes such as \d have other members in .NET.
    [GeneratedRegex(@"(?<=^(?:[^\\]|\\.)*)\\[A-Za-z-[fnrtuvx]]", RegexOptions.Singleline)]
    private static partial Regex OtherMeaning();
}
