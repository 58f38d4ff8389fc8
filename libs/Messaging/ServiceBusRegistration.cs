using Azure.Messaging.ServiceBus;
using DroneDelivery.ServiceDefaults.Configuration;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Messaging;

public static class ServiceBusRegistration
{
    /// <summary>Registers a client configured by <see cref="ServiceBusOptions"/>.</summary>
    /// <param name="triesOnce">Whether a single try may take all of <see cref="ServiceBusOptions.SendTimeout"/>.</param>
    public static IServiceCollection AddServiceBus(this IServiceCollection services, bool triesOnce = false)
    {
        services.AddValidatedOptions<ServiceBusOptions>(ServiceBusOptions.Section);
        return services.AddSingleton(provider =>
        {
            var options = provider.GetRequiredService<IOptions<ServiceBusOptions>>().Value;
            var clientOptions = new ServiceBusClientOptions();
            if (triesOnce)
                clientOptions.RetryOptions.TryTimeout = options.SendTimeout;
            return options.CreateClient(clientOptions);
        });
    }
}
