using System.Text.Json;
using Json.Schema;
using Microsoft.AspNetCore.Http;
using Yarp.ReverseProxy.Transforms;
using Yarp.ReverseProxy.Transforms.Builder;

namespace DroneDelivery.PolicyPlugin;

/// <summary>
/// <c>"Transforms": [{ "ValidateContent": "DeliveryRequest" }]</c>: rejects a body with 400 if it doesn't match this schema of the
/// cluster's OpenAPI document. The body is buffered, up to <c>MaxRequestBodySize</c> of the route.
/// </summary>
internal sealed class ValidateContent : ITransformFactory
{
    private static readonly EvaluationOptions Options = new()
    {
        OutputFormat = OutputFormat.Flag,
        RequireFormatValidation = true,
    };

    public bool Validate(
        TransformRouteValidationContext context,
        IReadOnlyDictionary<string, string> transformValues
    ) => transformValues.ContainsKey(nameof(ValidateContent));

    public bool Build(TransformBuilderContext context, IReadOnlyDictionary<string, string> transformValues)
    {
        if (!transformValues.TryGetValue(nameof(ValidateContent), out var name))
            return false;
        var backend = new Uri(context.Cluster!.Destinations!.Values.First().Address);
        var schema = new Lazy<Task<JsonSchema>>(() => LoadAsync(backend, name));
        context.AddRequestTransform(async transform => await CheckAsync(transform.HttpContext, await schema.Value));
        return true;
    }

    private static async Task CheckAsync(HttpContext context, JsonSchema schema)
    {
        try
        {
            var body = new MemoryStream();
            await context.Request.Body.CopyToAsync(body, context.RequestAborted);
            body.Position = 0;
            using var document = JsonDocument.Parse(body.GetBuffer().AsMemory(0, (int)body.Length));
            if (!schema.Evaluate(document.RootElement, Options).IsValid)
            {
                await RefuseAsync(
                    context,
                    StatusCodes.Status400BadRequest,
                    "The request body doesn't match the schema."
                );
                return;
            }
            context.Request.Body = body;
        }
        catch (JsonException exception)
        {
            await RefuseAsync(context, StatusCodes.Status400BadRequest, exception.Message);
        }
        catch (BadHttpRequestException exception)
        {
            await RefuseAsync(context, exception.StatusCode, exception.Message);
        }
    }

    private static Task RefuseAsync(HttpContext context, int status, string detail) =>
        TypedResults.Problem(detail, statusCode: status).ExecuteAsync(context);

    /// <summary>Loads a schema with the schemas that it references.</summary>
    private static async Task<JsonSchema> LoadAsync(Uri backend, string name)
    {
        using var http = new HttpClient();
        using var document = JsonDocument.Parse(await http.GetStringAsync(new Uri(backend, "openapi/v1.json")));
        var schemas = document.RootElement.GetProperty("components").GetProperty("schemas").GetRawText();
        // JSON Schema has definitions instead of components.
        var definitions = schemas.Replace("#/components/schemas/", "#/$defs/", StringComparison.Ordinal);
        return JsonSchema.FromText($$"""{ "$ref": "#/$defs/{{name}}", "$defs": {{definitions}} }""");
    }
}
