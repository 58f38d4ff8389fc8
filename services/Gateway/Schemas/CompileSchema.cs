using System.Text.Json;

namespace DroneDelivery.Gateway.Schemas;

/// <summary>
/// The schemas of an OpenAPI document, made ready once. An unknown keyword is refused: ignored, it would admit invalid bodies.
/// </summary>
internal sealed class CompileSchema(JsonElement document)
{
    private const string Components = "#/components/schemas/";

    private readonly Dictionary<string, Schema> _compiled = [];

    /// <param name="name">Of a component.</param>
    /// <exception cref="NotSupportedException">It is not there, or says something that is not known here.</exception>
    public Schema Named(string name)
    {
        if (_compiled.TryGetValue(name, out var known))
            return known;
        if (!TryFind(name, out var source))
            throw new NotSupportedException($"There is no schema '{name}'.");
        var schema = _compiled[name] = new(); // before it is filled: it may refer to itself
        Fill(schema, source, name);
        return schema;
    }

    private bool TryFind(string name, out JsonElement schema)
    {
        schema = document;
        return schema.ValueKind == JsonValueKind.Object
            && schema.TryGetProperty("components", out schema)
            && schema.TryGetProperty("schemas", out schema)
            && schema.TryGetProperty(name, out schema);
    }

    private Schema Of(JsonElement source, string where)
    {
        if (source.ValueKind == JsonValueKind.Object && source.TryGetProperty(SchemaWords.Reference, out var reference))
            return Named(NameIn(source, reference.GetString()!, where));
        var schema = new Schema();
        Fill(schema, source, where);
        return schema;
    }

    private static string NameIn(JsonElement source, string reference, string where) =>
        reference.StartsWith(Components, StringComparison.Ordinal)
        && source.EnumerateObject().All(word => word.NameEquals(SchemaWords.Reference) || SchemaWords.IsRemark(word.Name))
            ? reference[Components.Length..]
            : throw new NotSupportedException($"{where}: a reference stands alone and begins with {Components}.");

    private void Fill(Schema schema, JsonElement source, string where)
    {
        if (source.ValueKind == JsonValueKind.True)
            return;
        SchemaWords.RequireKnown(source, where);
        schema.Types = source.Types(where);
        schema.Members = MembersOf(source, where);
        schema.Text = source.TextRules(where);
        schema.Number = source.NumberRules();
        schema.Elements = new()
        {
            Element = Part(source, "items", where),
            Least = source.Least("minItems"),
            Most = source.Most("maxItems"),
        };
        schema.Alternatives = AlternativesOf(source, where);
    }

    private ObjectRules MembersOf(JsonElement source, string where)
    {
        var members = source.TryGetProperty("properties", out var properties)
            ? properties.EnumerateObject().Select(member => (member.Name, Of(member.Value, $"{where}.{member.Name}")))
            : [];
        var isClosed = source.TryGetProperty("additionalProperties", out var others) && others.ValueKind == JsonValueKind.False;
        return new([.. members], source.Texts("required") ?? [])
        {
            Others = isClosed ? null : Part(source, "additionalProperties", where),
            Least = source.Least("minProperties"),
            Most = source.Most("maxProperties"),
        };
    }

    private Alternatives? AlternativesOf(JsonElement source, string where)
    {
        var onlyOne = source.TryGetProperty("oneOf", out var alternatives);
        if (onlyOne && source.TryGetProperty("anyOf", out _))
            throw new NotSupportedException($"{where}: 'anyOf' beside 'oneOf' is not known.");
        return onlyOne || source.TryGetProperty("anyOf", out alternatives)
            ? new([.. alternatives.EnumerateArray().Select((one, i) => Of(one, $"{where}[{i}]"))], onlyOne)
            : null;
    }

    private Schema Part(JsonElement source, string word, string where) =>
        source.TryGetProperty(word, out var part) ? Of(part, $"{where}.{word}") : new();
}
