using Azure.Messaging.ServiceBus;
using DroneDelivery.ServiceDefaults.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Messaging;

public static class ServiceBusRegistration
{
    /// <summary>One <see cref="ServiceBusClient"/> for the process, from the section <see cref="ServiceBusOptions.Section"/>.</summary>
    /// <param name="services">The service collection.</param>
    /// <param name="configure">What this service wants different from the client's defaults.</param>
    public static IServiceCollection AddServiceBus(
        this IServiceCollection services, Action<ServiceBusOptions, ServiceBusClientOptions>? configure = null)
    {
        services.AddValidatedOptions<ServiceBusOptions>(ServiceBusOptions.Section);
        return services.AddSingleton(provider =>
        {
            var options = provider.GetRequiredService<IOptions<ServiceBusOptions>>().Value;
            var clientOptions = new ServiceBusClientOptions();
            configure?.Invoke(options, clientOptions);
            return options.CreateClient(clientOptions);
        });
    }
}
