using Azure.Messaging.ServiceBus;
using DroneDelivery.ServiceDefaults.Configuration;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Messaging;

public static class ServiceBusRegistration
{
    /// <summary>One <see cref="ServiceBusClient"/> for the process, from the section <see cref="ServiceBusOptions.Section"/>.</summary>
    /// <param name="triesOnce">One try may use all of <see cref="ServiceBusOptions.SendTimeout"/>: a broker that is slow needs no second
    /// try, one that is away refuses at once.</param>
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
