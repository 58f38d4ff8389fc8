using DroneDelivery.Gateway.Forwarding;
using DroneDelivery.Gateway.Policies;
using DroneDelivery.Gateway.Schemas;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.Extensions.FileProviders;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;

namespace DroneDelivery.Gateway.Routes;

/// <summary>A step of a route: it answers, or calls the next one.</summary>
/// <param name="context">The request.</param>
/// <param name="subscriber">Whose key it brought; null before it was asked for one.</param>
internal delegate Task Step(HttpContext context, string? subscriber);

/// <summary>
/// Each route is an endpoint, so an unknown path or method is answered with 404 or 405 as everywhere. They are made when the server starts:
/// by then mistakes in the settings have been reported in one line.
/// </summary>
internal sealed class GatewayRoutes(IServiceProvider services) : EndpointDataSource
{
    private readonly Lazy<Endpoint[]> _endpoints = new(() =>
        [.. services.GetRequiredService<IOptions<GatewayOptions>>().Value.Routes.Select(route => EndpointOf(route, services))]);

    public override IReadOnlyList<Endpoint> Endpoints => _endpoints.Value;

    public override IChangeToken GetChangeToken() => NullChangeToken.Singleton;

    private static Endpoint EndpointOf(RouteOptions route, IServiceProvider services)
    {
        var first = FirstStepOf(route, services);
        var endpoint = new RouteEndpointBuilder(context => first(context, null), RoutePatternFactory.Parse(route.Path!), order: 0)
        {
            DisplayName = route.Name,
            Metadata = { new HttpMethodMetadata([route.Method!]), new WholeAnswers() },
        };
        return endpoint.Build();
    }

    // From the last one to the first.
    private static Step FirstStepOf(RouteOptions route, IServiceProvider services)
    {
        var step = route.ReturnResponse is { } answer
            ? ReturnResponse.Of(answer)
            : services.GetRequiredService<ForwardRequest>().Within(route.Timeout);
        if (route.ValidateContent is { } content)
            step = new ValidateContent(step, content, services.GetRequiredService<IngestionDocument>()).HandleAsync;
        if (route.RateLimit is { } limit)
            step = LimitRate.Before(step, limit);
        return route.RequireKey ? RequireKey.Before(step, services.GetRequiredService<SubscriptionKeys>()) : step;
    }

    /// <summary>A refusal is a problem, and an answer of Ingestion stays as it is: nothing is added to either.</summary>
    private sealed class WholeAnswers : ISkipStatusCodePagesMetadata;
}
