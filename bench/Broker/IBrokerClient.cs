namespace DroneDelivery.Bench.Broker;

/// <summary>The loads of the comparison, in the protocol that a broker speaks.</summary>
internal interface IBrokerClient
{
    /// <summary>Sends with many messages on the way; ends when the broker has accepted the last.</summary>
    Task SendAsync(BrokerUnderTest broker, int properties, int count);

    /// <summary>Each receiver has a connection and accepts each message by itself; ends when all are accepted.</summary>
    Task ReceiveAsync(BrokerUnderTest broker, int receivers, uint prefetch, int count);

    /// <summary>Callers wait for the answer to each send, and a message counts when its settlement is answered.</summary>
    /// <param name="connections">That many send, and as many receive.</param>
    Task PairsAsync(BrokerUnderTest broker, int properties, int connections, int count);
}
