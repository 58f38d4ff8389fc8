using Azure.Core;
using Azure.Identity;
using DroneDelivery.ServiceDefaults.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace DroneDelivery.Calls;

public static class ServiceClients
{
    /// <summary>
    /// Registers a typed client with the base address <c>http://SERVICE/</c>. Calls rotate over the discovered endpoints and are retried
    /// (<see cref="CallPipeline"/>), so they must be idempotent.
    /// </summary>
    /// <param name="service">
    /// The logical name, for example <c>package</c>. Endpoints are <c>services:package:http:0</c>, <c>services:package:http:1</c>, …;
    /// without any, DNS resolves the name.
    /// </param>
    /// <returns>A builder for additional handlers, which run once for each attempt.</returns>
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
            http.Timeout = Timeout.InfiniteTimeSpan; // the pipeline enforces the timeouts
        });
        client
            .RemoveAllLoggers()
            .SetHandlerLifetime(Timeout.InfiniteTimeSpan)
            .ConfigurePrimaryHttpMessageHandler(provider =>
                ActivatorUtilities.CreateInstance<EndpointHandler>(provider, service)
            )
            .AddHttpMessageHandler(() => new CallFailures(service))
            .AddResilienceHandler("calls", (pipeline, context) =>
                pipeline.AddCallStrategies(service, context.ServiceProvider)
            );
        return client.AddHttpMessageHandler<CallerToken>(); // inside the pipeline, which also covers the token request
    }
}
