using System.Text;
using DroneDelivery.ServiceDefaults.Configuration;
using DroneDelivery.ServiceDefaults.Metrics;
using DroneDelivery.ServiceDefaults.Resilience;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Calls;

public static class ServiceClients
{
    // Only with DNS: a scaled service gets new addresses, and a connection kept for ever would never learn of them.
    private static readonly TimeSpan DnsConnectionLifetime = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Registers <typeparamref name="TClient"/> as a singleton; its constructor takes an <see cref="HttpClient"/> with base address
    /// <c>http://SERVICE/</c>. Calls rotate over the replicas of <see cref="ServiceEndpoints"/> (none: DNS) and go through the pipeline of
    /// <see cref="ResilienceOptions"/>, which repeats them: they have to be idempotent. A <see cref="CalledService"/> tells how the service
    /// fares.
    /// </summary>
    /// <param name="services">The service collection.</param>
    /// <param name="service">Logical name, for example <c>package</c>.</param>
    public static IServiceCollection AddServiceClient<TClient>(this IServiceCollection services, string service) where TClient : class
    {
        services.AddValidatedOptions<ResilienceOptions>(ResilienceOptions.Section);
        services.AddMetrics().TryAddSingleton<CallMetrics>();
        services.AddEndpoints(service);
        services.AddKeyedSingleton(service, (provider, _) => CreateTransport(provider, service));
        services.AddKeyedSingleton(service, (provider, _) => CreateClient(provider, service));
        services.AddKeyedSingleton(service, (provider, _) => new CalledService(
            service, provider.GetRequiredKeyedService<HttpMessageHandler>(service), provider.GetRequiredService<TimeProvider>()));
        services.AddSingleton(provider => provider.GetRequiredKeyedService<CalledService>(service));
        services.AddSingleton(provider =>
            ActivatorUtilities.CreateInstance<TClient>(provider, provider.GetRequiredKeyedService<HttpClient>(service)));
        return services;
    }

    /// <summary>
    /// Registers a keyed <see cref="HttpMessageInvoker"/> for requests to <c>http://SERVICE/</c> that are somebody else's: they rotate over
    /// the same replicas, and are neither repeated nor held in memory.
    /// </summary>
    /// <param name="services">The service collection.</param>
    /// <param name="service">Logical name, for example <c>ingestion</c>.</param>
    public static IServiceCollection AddServiceForwarder(this IServiceCollection services, string service)
    {
        services.AddEndpoints(service);
        services.AddKeyedSingleton(service, (provider, _) => new HttpMessageInvoker(CreateTransport(provider, service)));
        return services;
    }

    private static void AddEndpoints(this IServiceCollection services, string service)
    {
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<ServiceEndpoints>, ServiceEndpoints.Validation>());
        services.AddOptions<ServiceEndpoints>(service)
            .Configure<IConfiguration, IEnumerable<IReplicaSource>>(
                (endpoints, configuration, sources) => ServiceEndpoints.Read(endpoints, service, configuration, sources))
            .ValidateOnStart();
    }

    private static HttpClient CreateClient(IServiceProvider provider, string service)
    {
        var called = provider.GetRequiredKeyedService<CalledService>(service);
        var metrics = provider.GetRequiredService<CallMetrics>();
        metrics.Watch(service, () => called.Observed.CircuitState);
        var resilience = new ResilienceHandler(
            called,
            provider.GetRequiredService<IOptions<ResilienceOptions>>().Value,
            provider.GetRequiredService<TimeProvider>(),
            provider.GetRequiredService<ILogger<ResilienceHandler>>(),
            provider.GetRequiredKeyedService<HttpMessageHandler>(service));
        var measured = new MeasuredCalls(service, metrics, provider.GetRequiredService<TimeProvider>(), resilience);
        // The pipeline bounds each attempt; HttpClient's own time-out would cut the retries short.
        return new HttpClient(measured) { BaseAddress = new Uri($"http://{service}/"), Timeout = Timeout.InfiniteTimeSpan };
    }

    private static HttpMessageHandler CreateTransport(IServiceProvider provider, string service)
    {
        var endpoints = provider.GetRequiredService<IOptionsMonitor<ServiceEndpoints>>().Get(service);
        HttpMessageHandler transport = endpoints.Replicas.Count > 0
            ? new ReplicaHandler(endpoints.Replicas, provider.GetRequiredService<TimeProvider>(), endpoints.List)
            : new SocketsHttpHandler
            {
                AllowAutoRedirect = false,
                UseCookies = false,
                PooledConnectionLifetime = DnsConnectionLifetime,
                RequestHeaderEncodingSelector = static (_, _) => Encoding.UTF8, // as Kestrel reads them
            };
        return provider.GetServices<ITransportFilter>().Aggregate(transport, (inner, filter) => filter.Wrap(inner));
    }
}
