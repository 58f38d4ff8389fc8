using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.OpenApi;
using Microsoft.OpenApi;
using Scalar.AspNetCore;

namespace DroneDelivery.ServiceDefaults.OpenApi;

/// <summary>
/// Serves the OpenAPI document at <c>/openapi/v1.json</c> and, in development or with <c>ApiPage:Enabled</c>, its page at <c>/scalar</c>.
/// </summary>
internal static class ApiDescription
{
    private const string Name = "v1";

    public static void AddApiDescription(this IServiceCollection services, string role) =>
        services.AddOpenApi(Name, options =>
        {
            options.AddDocumentTransformer(
                (document, context, _) =>
                {
                    document.Info.Title = role;
                    if (context.ApplicationServices.GetService<IAuthenticationSchemeProvider>() is not null)
                        RequireToken(document);
                    foreach (var path in document.Paths.Values)
                        path.Operations?.Remove(HttpMethod.Head);
                    DescribeProblems(document);
                    return Task.CompletedTask;
                }
            );
            options.AddSchemaTransformer(DescribeEnumByName);
            options.AddSchemaTransformer(Open);
        });

    /// <summary>Generates the document once; the framework would generate it for each request.</summary>
    public static void MapApiDescription(this WebApplication app)
    {
        var document = new Lazy<Task<string>>(async () =>
        {
            var provider = app.Services.GetRequiredKeyedService<IOpenApiDocumentProvider>(Name);
            return await (await provider.GetOpenApiDocumentAsync()).SerializeAsJsonAsync(OpenApiSpecVersion.OpenApi3_1);
        });
        app.MapGet($"/openapi/{Name}.json", async () =>
                TypedResults.Text(await document.Value, "application/json;charset=utf-8")
            )
            .ExcludeFromDescription();
        var isOn = bool.TryParse(app.Configuration["ApiPage:Enabled"], out var wanted)
            ? wanted
            : app.Environment.IsDevelopment();
        if (isOn)
        {
            app.MapScalarApiReference("/scalar", page =>
                page.WithOpenApiRoutePattern($"/openapi/{Name}.json").DisableDefaultFonts()
            );
        }
    }

    /// <summary>Results such as <c>NotFound</c> describe no content. The service returns problem details for them.</summary>
    private static void DescribeProblems(OpenApiDocument document)
    {
        var responses =
            from path in document.Paths.Values
            from operation in path.Operations!.Values
            from response in operation.Responses!
            where response.Key[0] is '4' or '5'
            select response.Value as OpenApiResponse;
        foreach (var response in responses.Where(response => response is { Content: null or { Count: 0 } }))
        {
            response!.Content = new Dictionary<string, OpenApiMediaType>
            {
                ["application/problem+json"] = new()
                {
                    Schema = new OpenApiSchemaReference(nameof(ProblemDetails), document),
                },
            };
        }
    }

    private static void RequireToken(OpenApiDocument document)
    {
        const string Scheme = "Bearer";
        document.AddComponent(
            Scheme,
            new OpenApiSecurityScheme
            {
                Type = SecuritySchemeType.Http,
                Scheme = "bearer",
                BearerFormat = "JWT",
            }
        );
        document.Security = [new() { [new OpenApiSecuritySchemeReference(Scheme, document)] = [] }];
    }

    /// <summary>Allows additional properties, because contracts may gain some at any time.</summary>
    private static Task Open(
        OpenApiSchema schema,
        OpenApiSchemaTransformerContext context,
        CancellationToken cancellationToken
    )
    {
        schema.AdditionalPropertiesAllowed = true;
        return Task.CompletedTask;
    }

    // The generator doesn't know the custom enum converter.
    private static Task DescribeEnumByName(
        OpenApiSchema schema,
        OpenApiSchemaTransformerContext context,
        CancellationToken cancellationToken
    )
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
