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
}
