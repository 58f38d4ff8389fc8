using System.Runtime.CompilerServices;
using DroneDelivery.LabAgent.Emulation;
using DroneDelivery.ServiceDefaults.Configuration;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Http;

namespace DroneDelivery.LabAgent;

public static class LabSetup
{
    // By name, because services without messages don't have the library.
    private const string BusClient = "Azure.Messaging.ServiceBus.ServiceBusClient";

    public static IServiceCollection AddLab(this IServiceCollection services)
    {
        services.AddValidatedOptions<EmulationOptions>(EmulationOptions.Section);
        services.AddSingleton<IStartupFilter, LabPipeline>();
        services.AddSingleton<IHttpMessageHandlerBuilderFilter, SentAt.Filter>();
        services.AddSingleton<EmulatedResponses>();
        services.AddSingleton<CpuGate>();
        if (services.LastOrDefault(service => service.ServiceType.FullName == BusClient) is { } client)
            GateMessages(services, client);
        // Hosted services stop in reverse order: requests and messages in progress end before the gate closes.
        services.Insert(
            0,
            ServiceDescriptor.Singleton<IHostedService>(provider => provider.GetRequiredService<CpuGate>())
        );
        return services;
    }

    // Separate, so that the library is loaded only if the service has it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void GateMessages(IServiceCollection services, ServiceDescriptor client) =>
        GatedServiceBus.Replace(services, client);
}
