using System.Text.Json;
using System.Text.Json.Nodes;
using Json.Schema;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>The operations of an OpenAPI document, and the responses that it allows.</summary>
internal sealed class ApiDescription
{
    // All schemas share one registry, which is not safe for concurrent use.
    private static readonly Lock Validation = new();

    private readonly JsonObject _document;
    private readonly Dictionary<JsonNode, JsonSchema> _schemas = [];

    public ApiDescription(string json)
    {
        // JSON Schema looks for definitions in $defs.
        var text = json.Replace("#/components/schemas/", "#/$defs/", StringComparison.Ordinal);
        _document = JsonNode.Parse(text)!.AsObject();
        Operations =
        [
            .. from path in _document["paths"]!.AsObject()
            from operation in path.Value!.AsObject()
            select new ApiOperation(operation.Key.ToUpperInvariant(), path.Key, operation.Value!.AsObject()),
        ];
    }

    public IReadOnlyList<ApiOperation> Operations { get; }

    /// <returns>The contradiction between the response and the document; <c>null</c> if there is none.</returns>
    public string? FindContradiction(ApiOperation operation, int status, string? mediaType, string body)
    {
        if (operation.Responses[$"{status}"] is not JsonObject response)
            return $"{operation} does not describe {status}";
        if (response["content"] is not JsonObject content)
            return body.Length == 0 ? null : $"{operation} describes no content for {status}";
        if (mediaType is null || content[mediaType]?["schema"] is not { } schema)
            return $"{operation} does not describe {mediaType ?? "no content"} for {status}";
        return IsValid(body, schema) ? null : $"The body of {status} has another schema";
    }

    private bool IsValid(string body, JsonNode schema)
    {
        using var value = JsonDocument.Parse(body);
        lock (Validation)
        {
            if (!_schemas.TryGetValue(schema, out var parsed))
                _schemas[schema] = parsed = Parse(schema);
            return parsed.Evaluate(value.RootElement).IsValid;
        }
    }

    private JsonSchema Parse(JsonNode schema)
    {
        var whole = schema.DeepClone().AsObject();
        whole["$defs"] = _document["components"]!["schemas"]!.DeepClone();
        return JsonSchema.FromText(whole.ToJsonString());
    }
}

/// <param name="Path">The path with the names of its parameters in braces.</param>
internal sealed record ApiOperation(string Method, string Path, JsonObject Description)
{
    public JsonObject Responses => Description["responses"]!.AsObject();

    public IEnumerable<string> QueryParameters =>
        from parameter in Description["parameters"]?.AsArray() ?? []
        where $"{parameter!["in"]}" == "query"
        select $"{parameter["name"]}";

    /// <summary>The name of the schema of the body; <c>null</c> if the operation has no body.</summary>
    public string? Body
    {
        get
        {
            var content = Description["requestBody"]?["content"]?.AsObject();
            var schema = content?.First().Value!["schema"]!;
            return schema is null ? null : $"{schema["$ref"]}".Split('/')[^1];
        }
    }

    public override string ToString() => $"{Method} {Path}";
}
