using Azure.Messaging.ServiceBus;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>Handles the messages of the queue, or its dead letters.</summary>
internal interface IMessageHandler
{
    /// <summary>The options for receiving; <c>null</c> if this process doesn't.</summary>
    ServiceBusProcessorOptions? ProcessorOptions { get; }

    /// <summary>Handles a message, which is then completed.</summary>
    Task HandleAsync(ServiceBusReceivedMessage message, CancellationToken cancellationToken);

    Task<Settlement> RecoverAsync(Exception failure, ServiceBusReceivedMessage message);
}
