using DroneDelivery.Gateway.Admission;
using Microsoft.AspNetCore.Mvc;

namespace DroneDelivery.Gateway.Forwarding;

internal static class ProxySetup
{
    /// <summary>A scaled service gets new addresses, and a connection that is kept indefinitely would never use them.</summary>
    private static readonly TimeSpan ConnectionLifetime = TimeSpan.FromSeconds(30),
        ConnectTimeout = TimeSpan.FromSeconds(2);

    /// <summary>Routes and clusters are YARP's section <c>ReverseProxy</c>.</summary>
    public static void AddProxy(this WebApplicationBuilder builder)
    {
        // YARP logs each request; AnswerFailures logs failures.
        builder.Logging.AddFilter("Yarp", LogLevel.Warning).AddFilter("Yarp.ReverseProxy.Forwarder", LogLevel.None);
        builder
            .Services.AddReverseProxy()
            .LoadFromConfig(builder.Configuration.GetSection("ReverseProxy"))
            .ConfigureHttpClient(
                (_, handler) =>
                    (handler.PooledConnectionLifetime, handler.ConnectTimeout) = (ConnectionLifetime, ConnectTimeout)
            )
            .AddTransforms(DropHeaders.Add);
    }

    /// <summary>Loads the routes, and fails if one is invalid.</summary>
    public static void MapProxy(this WebApplication app) =>
        app.MapReverseProxy(proxy =>
            {
                proxy.UseMiddleware<RequireKey>();
                proxy.UseRateLimiter();
                proxy.Use(RefuseLargeBody.Before);
                proxy.UseMiddleware<AnswerFailures>();
                proxy.UseLoadBalancing();
            })
            // A rejection is a problem, and a response of a service stays as it is: nothing is added to either.
            .WithMetadata(new SkipStatusCodePagesAttribute());
}
