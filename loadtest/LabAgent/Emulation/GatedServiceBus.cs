using Azure.Messaging.ServiceBus;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.LabAgent.Emulation;

/// <summary>
/// A client whose processors hold the CPU gate before the service handles a message, except for dead letters, which the stages don't
/// measure.
/// </summary>
internal sealed class GatedServiceBus(ServiceBusClient client, CpuGate gate) : ServiceBusClient
{
    public static void Replace(IServiceCollection services, ServiceDescriptor registration)
    {
        services.Remove(registration);
        services.AddSingleton<ServiceBusClient>(provider => new GatedServiceBus(
            (ServiceBusClient)registration.ImplementationFactory!(provider),
            provider.GetRequiredService<CpuGate>()
        ));
    }

    public override ServiceBusProcessor CreateProcessor(string queueName, ServiceBusProcessorOptions options) =>
        options.SubQueue == SubQueue.None
            ? new Processor(client, queueName, options, gate)
            : client.CreateProcessor(queueName, options);

    public override ServiceBusReceiver CreateReceiver(string queueName) => client.CreateReceiver(queueName);

    public override ServiceBusSender CreateSender(string queueOrTopicName) => client.CreateSender(queueOrTopicName);

#pragma warning disable CA2215 // the base has no connection of its own
    public override ValueTask DisposeAsync() => client.DisposeAsync();
#pragma warning restore CA2215

    private sealed class Processor(
        ServiceBusClient client,
        string queueName,
        ServiceBusProcessorOptions options,
        CpuGate gate
    ) : ServiceBusProcessor(client, queueName, options)
    {
        protected override async Task OnProcessMessageAsync(ProcessMessageEventArgs args)
        {
            await gate.HoldAsync();
            await base.OnProcessMessageAsync(args);
        }
    }
}
