using Azure.Core;
using Azure.Identity;
using DroneDelivery.ServiceDefaults.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace DroneDelivery.Calls;

public static class ServiceClients
{
    /// <summary>
    /// Registers <typeparamref name="TClient"/> as a typed client: its constructor takes an <see cref="HttpClient"/> with base address
    /// <c>http://SERVICE/</c>. Calls rotate over the endpoints that service discovery finds, and go through the pipeline of
    /// <see cref="CallPipeline"/>, which retries them: they must be idempotent. <see cref="Circuits"/> reports outages of the service.
    /// </summary>
    /// <param name="service">Logical name, for example <c>package</c>. Its endpoints are <c>services:package:http:0</c>,
    /// <c>services:package:http:1</c>, …; without any, DNS resolves the name.</param>
    /// <returns>A builder for more handlers: one that is added here is called for each attempt.</returns>
    public static IHttpClientBuilder AddServiceClient<TClient>(this IServiceCollection services, string service)
        where TClient : class
    {
        services.AddValidatedOptions<ResilienceOptions>(ResilienceOptions.Section);
        services.AddValidatedOptions<CallerTokenOptions>(CallerTokenOptions.Section);
        services.TryAddSingleton<TokenCredential>(_ => new DefaultAzureCredential());
        services.TryAddTransient<CallerToken>();
        services.AddMetrics().TryAddSingleton<Circuits>();
        services.AddServiceDiscovery();
        var client = services.AddHttpClient<TClient>(service, http =>
        {
            http.BaseAddress = new Uri($"http://{service}/");
            http.Timeout = Timeout.InfiniteTimeSpan; // the pipeline has the timeouts
        });
        client
            .RemoveAllLoggers()
            .SetHandlerLifetime(Timeout.InfiniteTimeSpan) // the connections have a lifetime of their own
            .ConfigurePrimaryHttpMessageHandler(provider =>
                ActivatorUtilities.CreateInstance<EndpointHandler>(provider, service)
            )
            .AddHttpMessageHandler(() => new CallFailures(service))
            .AddResilienceHandler("calls", (pipeline, context) =>
                pipeline.AddCallStrategies(service, context.ServiceProvider)
            );
        return client.AddHttpMessageHandler<CallerToken>(); // inside the pipeline: its timeouts and its circuit apply to the token, too
    }
}
