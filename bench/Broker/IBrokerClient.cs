namespace DroneDelivery.Bench.Broker;

internal interface IBrokerClient
{
    /// <summary>Sends with many messages in flight. Completes when the broker has accepted the last one.</summary>
    Task SendAsync(BrokerUnderTest broker, int count);

    /// <summary>Receives with one connection per receiver and accepts each message individually. Completes when all are accepted.</summary>
    Task ReceiveAsync(BrokerUnderTest broker, int receivers, uint prefetch, int count);
}
