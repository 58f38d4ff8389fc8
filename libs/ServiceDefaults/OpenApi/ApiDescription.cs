using System.ComponentModel.DataAnnotations;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.OpenApi;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.OpenApi;

namespace DroneDelivery.ServiceDefaults.OpenApi;

/// <summary>The document at <c>/openapi/v1.json</c>.</summary>
internal static class ApiDescription
{
    public static void AddApiDescription(this IServiceCollection services, string role) =>
        services.AddOpenApi("v1", options =>
        {
            options.AddDocumentTransformer((document, _, _) =>
            {
                document.Info.Title = role;
                return Task.CompletedTask;
            });
            options.AddSchemaTransformer(DescribeEnumByName);
            options.AddSchemaTransformer(DescribeRangeOfTimes);
        });

    // The generator cannot look into our converter of enums.
    private static Task DescribeEnumByName(
        OpenApiSchema schema, OpenApiSchemaTransformerContext context, CancellationToken cancellationToken)
    {
        var type = Nullable.GetUnderlyingType(context.JsonTypeInfo.Type) ?? context.JsonTypeInfo.Type;
        if (type.IsEnum)
        {
            schema.Type = JsonSchemaType.String;
            schema.Enum = [.. Enum.GetNames(type).Select(name => (JsonNode)name)];
        }
        return Task.CompletedTask;
    }

    // The generator knows ranges of numbers alone. JSON Schema has no word for those of times; these two are what validators call them.
    private static Task DescribeRangeOfTimes(
        OpenApiSchema schema, OpenApiSchemaTransformerContext context, CancellationToken cancellationToken)
    {
        var rules = context.JsonPropertyInfo?.AttributeProvider?.GetCustomAttributes(typeof(RangeAttribute), inherit: true);
        if (rules?.OfType<RangeAttribute>().FirstOrDefault(rule => rule.OperandType == typeof(DateTimeOffset)) is { } range)
        {
            schema.Extensions = new Dictionary<string, IOpenApiExtension>
            {
                ["formatMinimum"] = new JsonNodeExtension((string)range.Minimum),
                ["formatMaximum"] = new JsonNodeExtension((string)range.Maximum),
            };
        }
        return Task.CompletedTask;
    }
}
