using Azure.Messaging.ServiceBus;
using DroneDelivery.Workflow.Receiving;

namespace DroneDelivery.Workflow.Watching;

/// <summary>Tells every observer.</summary>
internal sealed class MessageObservers(IEnumerable<IMessageObserver> observers) : IMessageObserver
{
    private readonly IMessageObserver[] _observers = [.. observers];

    public void Starting() => Array.ForEach(_observers, observer => observer.Starting());

    public void Began(TimeSpan lockLeft) => Array.ForEach(_observers, observer => observer.Began(lockLeft));

    public void Settled(Settlement settlement, ServiceBusReceivedMessage message) =>
        Array.ForEach(_observers, observer => observer.Settled(settlement, message));

    public void SettlementFailed(Settlement settlement, Exception failure) =>
        Array.ForEach(_observers, observer => observer.SettlementFailed(settlement, failure));

    public void Ended(TimeSpan took) => Array.ForEach(_observers, observer => observer.Ended(took));

    public void ReceivingFailed() => Array.ForEach(_observers, observer => observer.ReceivingFailed());
}
