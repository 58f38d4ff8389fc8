using Azure.Messaging.ServiceBus;
using DroneDelivery.Messaging;
using DroneDelivery.ServiceDefaults.Health;
using DroneDelivery.Workflow.Holding;
using DroneDelivery.Workflow.Watching;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Receiving;

internal static class DeliveryRequestListenerRegistration
{
    public static void AddDeliveryRequestListener(this IServiceCollection services)
    {
        services.AddSingleton(CreateProcessor);
        services.AddSingleton<IHeld>(provider => provider.GetRequiredService<PausableProcessor>());
        services.AddSingleton(provider => provider.GetRequiredService<ServiceBusClient>().CreateReceiver(QueueOf(provider)));
        services.AddSingleton(provider => provider.GetRequiredService<ServiceBusClient>().CreateSender(QueueOf(provider)));
        services.AddSingleton<FailureVerdict>();
        services.AddSingleton<DeliveryRequestHandler>();
        services.AddSingleton<MessageSettler>();
        services.AddHostedService<DeliveryRequestListener>();
        services.AddHolding();
        services.AddMessageObservers();
    }

    private static void AddMessageObservers(this IServiceCollection services)
    {
        services.AddSingleton<MessageObservers>();
        services.AddSingleton<IMessageObserver, MessageMetrics>();
        services.AddSingleton<IMessageObserver, PrefetchAdvice>();
        services.AddSingleton<PumpHealth>();
        services.AddSingleton<IMessageObserver>(provider => provider.GetRequiredService<PumpHealth>());
        services.AddHealthChecks().AddCheck<PumpIsAlive>("pump", tags: ["live"]);
        services.AddSingleton<QueueIsReachable>();
        services.AddDependency(
            "queue",
            "The queue cannot be read.",
            (provider, cancellationToken) => provider.GetRequiredService<QueueIsReachable>().AskAsync(cancellationToken));
    }

    private static PausableProcessor CreateProcessor(IServiceProvider provider)
    {
        var options = provider.GetRequiredService<IOptions<WorkflowOptions>>().Value;
        return new(
            provider.GetRequiredService<ServiceBusClient>(),
            QueueOf(provider),
            oneByOne => new()
            {
                AutoCompleteMessages = false,
                MaxConcurrentCalls = oneByOne ? 1 : options.MaxConcurrentCalls,
                PrefetchCount = oneByOne ? 0 : options.PrefetchCount,
                MaxAutoLockRenewalDuration = options.MaxAutoLockRenewalDuration,
            },
            provider.GetRequiredService<ILogger<PausableProcessor>>());
    }

    private static string QueueOf(IServiceProvider provider) => provider.GetRequiredService<IOptions<ServiceBusOptions>>().Value.QueueName;
}
