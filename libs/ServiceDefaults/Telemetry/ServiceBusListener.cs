using System.Diagnostics;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// The Service Bus client makes activities only while somebody subscribes to its events. The activities are what is wanted.
/// </summary>
internal sealed class ServiceBusListener : IObserver<DiagnosticListener>, IObserver<KeyValuePair<string, object?>>
{
    public void OnNext(DiagnosticListener value)
    {
        if (value.Name == "Azure.Messaging.ServiceBus")
            value.Subscribe(this);
    }

    public void OnNext(KeyValuePair<string, object?> value)
    {
    }

    public void OnCompleted()
    {
    }

    public void OnError(Exception error)
    {
    }
}
