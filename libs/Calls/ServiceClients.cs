using Azure.Core;
using Azure.Identity;
using DroneDelivery.ServiceDefaults.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Http;

namespace DroneDelivery.Calls;

public static class ServiceClients
{
    /// <summary>
    /// Registers <typeparamref name="TClient"/> as a typed client: its constructor takes an <see cref="HttpClient"/> with base address
    /// <c>http://SERVICE/</c>. Calls rotate over the replicas of <see cref="ServiceAddresses"/> and go through the pipeline of
    /// <see cref="CallPipeline"/>, which repeats them: they have to be idempotent. <see cref="Circuits"/> tells how the service fares.
    /// </summary>
    /// <param name="service">Logical name, for example <c>package</c>.</param>
    /// <returns>For more handlers: one that is added here is called for each attempt.</returns>
    public static IHttpClientBuilder AddServiceClient<TClient>(this IServiceCollection services, string service)
        where TClient : class
    {
        services.AddValidatedOptions<ResilienceOptions>(ResilienceOptions.Section);
        services.AddValidatedOptions<CallerTokenOptions>(CallerTokenOptions.Section);
        services.TryAddSingleton<TokenCredential>(_ => new DefaultAzureCredential());
        services.TryAddTransient<CallerToken>();
        services.AddMetrics().TryAddSingleton<Circuits>();
        services
            .AddOptions<HttpClientFactoryOptions>(service) // a mistake in an address ends the process when it starts
            .Configure<IConfiguration>((_, configuration) => ServiceAddresses.Read(configuration, service))
            .ValidateOnStart();
        var client = services.AddHttpClient<TClient>(service, http =>
        {
            http.BaseAddress = new Uri($"http://{service}/");
            http.Timeout = Timeout.InfiniteTimeSpan; // the pipeline has the timeouts
        });
        client
            .RemoveAllLoggers()
            .SetHandlerLifetime(Timeout.InfiniteTimeSpan) // the connections look after DNS themselves
            .ConfigurePrimaryHttpMessageHandler(provider =>
                ActivatorUtilities.CreateInstance<ReplicaHandler>(provider, service)
            )
            .AddResilienceHandler("calls", (pipeline, context) =>
                pipeline.AddCallStrategies(service, context.ServiceProvider)
            );
        return client.AddHttpMessageHandler<CallerToken>(); // inside the pipeline: its timeouts and its circuit are the token's too
    }
}
