using Azure.Messaging.ServiceBus;
using DroneDelivery.Workflow.Receiving;

namespace DroneDelivery.Workflow.Watching;

/// <summary>Sees messages pass. It changes nothing about them and does not throw.</summary>
internal interface IMessageObserver
{
    /// <summary>Before the first message is received.</summary>
    void Starting()
    {
    }

    /// <summary>A handler has begun with a message.</summary>
    /// <param name="lockLeft">Nearly the whole lock duration for a message that did not wait here.</param>
    void Began(TimeSpan lockLeft)
    {
    }

    void Settled(Settlement settlement, ServiceBusReceivedMessage message)
    {
    }

    /// <summary>The broker refused the settlement or did not answer. Another one may follow.</summary>
    void SettlementFailed(Settlement settlement, Exception failure)
    {
    }

    /// <summary>The handler is free again, whatever became of the message.</summary>
    /// <param name="took">Settlement included.</param>
    void Ended(TimeSpan took)
    {
    }

    /// <summary>The processor reported an error.</summary>
    void ReceivingFailed()
    {
    }
}
