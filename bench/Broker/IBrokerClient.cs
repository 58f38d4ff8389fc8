namespace DroneDelivery.Bench.Broker;

/// <summary>A client of a broker.</summary>
internal interface IBrokerClient
{
    /// <summary>Sends with many messages in flight; ends when the broker has accepted the last.</summary>
    Task SendAsync(BrokerUnderTest broker, int count);

    /// <summary>Each receiver has a connection and accepts each message by itself; ends when all are accepted.</summary>
    Task ReceiveAsync(BrokerUnderTest broker, int receivers, uint prefetch, int count);
}
