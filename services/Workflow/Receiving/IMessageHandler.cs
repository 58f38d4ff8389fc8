using Azure.Messaging.ServiceBus;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>Handles the messages of the queue, or its dead letters.</summary>
internal interface IMessageHandler
{
    /// <summary>How they are received. Null: not by this process.</summary>
    ServiceBusProcessorOptions? ProcessorOptions { get; }

    /// <summary>Returns when the message may be completed.</summary>
    Task HandleAsync(ServiceBusReceivedMessage message, CancellationToken cancellationToken);

    /// <returns>The settlement of a message that could not be handled, or was interrupted.</returns>
    Task<Settlement> RecoverAsync(Exception failure, ServiceBusReceivedMessage message);
}
