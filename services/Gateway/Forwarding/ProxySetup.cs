using DroneDelivery.Gateway.Admission;
using DroneDelivery.ServiceDefaults.Configuration;
using Microsoft.AspNetCore.Mvc;
using Microsoft.Extensions.Options;
using Yarp.ReverseProxy.Configuration;

namespace DroneDelivery.Gateway.Forwarding;

internal static class ProxySetup
{
    /// <summary>A scaled service gets new addresses, and a connection that is kept for ever would never learn of them.</summary>
    private static readonly TimeSpan ConnectionLifetime = TimeSpan.FromSeconds(30),
        ConnectTimeout = TimeSpan.FromSeconds(2);

    public static void AddProxy(this WebApplicationBuilder builder)
    {
        // Each line would be one of every request; failures are told by AnswerFailures.
        builder.Logging.AddFilter("Yarp", LogLevel.Warning).AddFilter("Yarp.ReverseProxy.Forwarder", LogLevel.None);
        builder.Services.AddValidatedOptions<ProxyOptions>(ProxyOptions.Section);
        builder.Services.AddSingleton<IValidateOptions<ProxyOptions>, ProxyOptions.Validation>();
        builder.Services.AddSingleton(ConfigurationOf);
        builder
            .Services.AddReverseProxy()
            .ConfigureHttpClient(
                (_, handler) =>
                    (handler.PooledConnectionLifetime, handler.ConnectTimeout) = (ConnectionLifetime, ConnectTimeout)
            )
            .AddTransforms(DropHeaders.Add);
    }

    public static void MapProxy(this WebApplication app)
    {
        try
        {
            app.Services.GetRequiredService<IStartupValidator>().Validate();
        }
        catch (Exception exception) when (exception is OptionsValidationException or AggregateException)
        {
            return; // YARP reads its routes here already; the service ends a moment later, with one line about the mistake
        }

        app.MapReverseProxy(proxy =>
            {
                proxy.UseMiddleware<RequireKey>();
                proxy.UseRateLimiter();
                proxy.Use(RefuseLargeBody.Before);
                proxy.UseMiddleware<AnswerFailures>();
                proxy.UseLoadBalancing();
            })
            // A refusal is a problem, and an answer of a service stays as it is: nothing is added to either.
            .WithMetadata(new SkipStatusCodePagesAttribute());
    }

    private static IProxyConfigProvider ConfigurationOf(IServiceProvider services)
    {
        var options = services.GetRequiredService<IOptions<ProxyOptions>>().Value;
        return new InMemoryConfigProvider(options.NamedRoutes(), options.NamedClusters());
    }
}
