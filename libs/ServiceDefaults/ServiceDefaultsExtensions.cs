using System.Net.Mime;
using System.Text.Json;
using DroneDelivery.ServiceDefaults.Configuration;
using DroneDelivery.ServiceDefaults.Errors;
using DroneDelivery.ServiceDefaults.Health;
using DroneDelivery.ServiceDefaults.OpenApi;
using DroneDelivery.ServiceDefaults.Security;
using DroneDelivery.ServiceDefaults.Telemetry;
using DroneDelivery.ServiceDefaults.Validation;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace DroneDelivery.ServiceDefaults;

/// <summary>Setup that all services share.</summary>
public static class ServiceDefaultsExtensions
{
    /// <summary>In bytes; a larger body is rejected with 413.</summary>
    public const long MaxRequestBodySize = 1024 * 1024;

    private static readonly int[] BodyErrors =
    [
        StatusCodes.Status408RequestTimeout,
        StatusCodes.Status413PayloadTooLarge,
        StatusCodes.Status415UnsupportedMediaType,
    ];

    /// <param name="role">The service's name in telemetry and in its OpenAPI document.</param>
    public static WebApplicationBuilder AddServiceDefaults(
        this WebApplicationBuilder builder,
        string role,
        Action<JsonSerializerOptions>? configureJson = null
    )
    {
        builder.AddServiceLogging();
        builder.AddTelemetry(role);
        builder.Services.TryAddSingleton(TimeProvider.System);
        builder.Services.AddHealthChecks();
        ProblemExceptionHandler.Add(builder.Services);
        RecordValidator.Add(builder.Services);
        builder.Services.AddApiDescription(role);
        builder.WebHost.UseKestrelHttpsConfiguration(); // a slim builder omits it
        builder.Services.Configure<KestrelServerOptions>(kestrel =>
        {
            kestrel.Limits.MaxRequestBodySize = MaxRequestBodySize;
            kestrel.AddServerHeader = false;
        });
        if (configureJson is not null)
            builder.Services.ConfigureHttpJsonOptions(json => configureJson(json.SerializerOptions));
        return builder;
    }

    /// <summary>
    /// Adds middleware and the routes <c>/health/live</c>, <c>/health/ready</c>, and <c>/openapi/v1.json</c>. Call it before you map
    /// routes.
    /// </summary>
    public static WebApplication MapServiceDefaults(this WebApplication app)
    {
        app.UseExceptionHandler();
        app.UseStatusCodePages();
        app.Use(BodyEncoding.CheckAsync);
        app.MapHealth();
        app.MapApiDescription();
        return app;
    }

    /// <param name="policy">
    /// The authorization policy, one of <see cref="CallerPolicies"/>. All callers except services are rate-limited.
    /// </param>
    public static RouteGroupBuilder MapApi(
        this IEndpointRouteBuilder app,
        string prefix,
        string policy = CallerPolicies.Service
    )
    {
        var api = app.MapGroup(prefix);
        ((IEndpointConventionBuilder)api).Add(EndWithoutSlash);
        ((IEndpointConventionBuilder)api).Add(ServeHead);
        ((IEndpointConventionBuilder)api).Finally(DescribeBodyErrors);
        if (app.ServiceProvider.GetService<IAuthenticationSchemeProvider>() is not null)
            api.RequireAuthorization(policy);
        api.ProducesProblem(StatusCodes.Status503ServiceUnavailable);
        if (policy != CallerPolicies.Service)
            api.RequireRateLimiting(ClientRateLimit.Policy).ProducesProblem(StatusCodes.Status429TooManyRequests);
        return api;
    }

    /// <summary>Serves HEAD as GET without the body (RFC 9110 §9.3.2).</summary>
    private static void ServeHead(EndpointBuilder endpoint)
    {
        for (var i = 0; i < endpoint.Metadata.Count; i++)
        {
            if (endpoint.Metadata[i] is HttpMethodMetadata { HttpMethods: ["GET"] })
                endpoint.Metadata[i] = new HttpMethodMetadata([HttpMethods.Get, HttpMethods.Head]);
        }
    }

    private static void DescribeBodyErrors(EndpointBuilder endpoint)
    {
        if (!endpoint.Metadata.OfType<IAcceptsMetadata>().Any())
            return;
        foreach (var status in BodyErrors)
        {
            endpoint.Metadata.Add(
                new ProducesResponseTypeMetadata(
                    status,
                    typeof(ProblemDetails),
                    [MediaTypeNames.Application.ProblemJson]
                )
            );
        }
    }

    /// <summary>Removes the trailing slash of a group's own path, for telemetry.</summary>
    private static void EndWithoutSlash(EndpointBuilder endpoint)
    {
        if (endpoint is RouteEndpointBuilder { RoutePattern.RawText: { } path } route && path.EndsWith('/'))
            route.RoutePattern = RoutePatternFactory.Parse(path.TrimEnd('/'));
    }
}
