using DroneDelivery.Gateway.Admission;
using Microsoft.AspNetCore.Mvc;

namespace DroneDelivery.Gateway.Forwarding;

internal static class ProxySetup
{
    /// <summary>Limited, so that connections reach new replicas of a service.</summary>
    private static readonly TimeSpan ConnectionLifetime = TimeSpan.FromSeconds(30),
        ConnectTimeout = TimeSpan.FromSeconds(2);

    public static void AddProxy(this WebApplicationBuilder builder)
    {
        // YARP logs each request; ForwardingFailures logs failures.
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

    /// <summary>Maps the routes, and throws if one is invalid.</summary>
    public static void MapProxy(this WebApplication app) =>
        app.MapReverseProxy(proxy =>
            {
                proxy.UseMiddleware<RequireKey>();
                proxy.UseRateLimiter();
                proxy.Use(RejectLargeBody.Before);
                proxy.UseMiddleware<ForwardingFailures>();
                proxy.UseLoadBalancing();
            })
            // Responses of the gateway and of services stay unchanged.
            .WithMetadata(new SkipStatusCodePagesAttribute());
}
