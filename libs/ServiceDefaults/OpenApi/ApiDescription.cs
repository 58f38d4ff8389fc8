using System.ComponentModel.DataAnnotations;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.OpenApi;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.OpenApi;

namespace DroneDelivery.ServiceDefaults.OpenApi;

/// <summary>The document at <c>/openapi/v1.json</c>.</summary>
internal static class ApiDescription
{
    private const string Name = "v1";

    public static void AddApiDescription(this IServiceCollection services, string role) =>
        services.AddOpenApi(Name, options =>
        {
            options.AddDocumentTransformer((document, _, _) =>
            {
                document.Info.Title = role;
                return Task.CompletedTask;
            });
            options.AddSchemaTransformer(DescribeEnumByName);
            options.AddSchemaTransformer(DescribeRangeOfTimes);
        });

    /// <summary>The framework would make the document anew for each who asks, which takes some thirty times as long as a request.</summary>
    public static void MapApiDescription(this WebApplication app)
    {
        var document = new Lazy<Task<string>>(async () =>
        {
            var provider = app.Services.GetRequiredKeyedService<IOpenApiDocumentProvider>(Name);
            return await (await provider.GetOpenApiDocumentAsync()).SerializeAsJsonAsync(OpenApiSpecVersion.OpenApi3_1);
        });
        app.MapGet($"/openapi/{Name}.json", async () => TypedResults.Text(await document.Value, "application/json;charset=utf-8"))
            .ExcludeFromDescription();
    }

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
