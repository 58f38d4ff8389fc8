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
    // By name: services without messages lack the library.
    private const string BusClient = "Azure.Messaging.ServiceBus.ServiceBusClient";

    /// <summary>
    /// Adds to a service what the lab needs of it: counts of its answers, and what one machine lacks of a cluster. Each is off
    /// unless it is configured, but for the counts.
    /// </summary>
    public static IServiceCollection AddLab(this IServiceCollection services)
    {
        services.AddValidatedOptions<EmulationOptions>(EmulationOptions.Section);
        services.AddSingleton<IStartupFilter, LabPipeline>();
        services.AddSingleton<IHttpMessageHandlerBuilderFilter, SentAt.Filter>();
        services.AddSingleton<EmulatedAnswers>();
        services.AddSingleton<CpuGate>();
        if (services.LastOrDefault(service => service.ServiceType.FullName == BusClient) is { } client)
            GateMessages(services, client);
        // The first to start is the last to stop: the requests and messages under way have ended before the gate closes.
        services.Insert(
            0,
            ServiceDescriptor.Singleton<IHostedService>(provider => provider.GetRequiredService<CpuGate>())
        );
        return services;
    }

    // Apart, so that the library is loaded only where a service has it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void GateMessages(IServiceCollection services, ServiceDescriptor client) =>
        GatedServiceBus.Replace(services, client);
}
