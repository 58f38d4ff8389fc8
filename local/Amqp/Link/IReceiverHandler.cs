namespace DroneDelivery.Amqp;

/// <summary>What happens to a link on which this end receives. Called on the connection's read loop; must not block.</summary>
public interface IReceiverHandler
{
    /// <summary>A whole message came and took one credit.</summary>
    void OnDelivery(ReceiverLink link, in IncomingDelivery delivery);

    /// <summary>The sender told of a delivery that is unsettled here.</summary>
    void OnDisposition(ReceiverLink link, uint deliveryId, DeliveryState? state, bool settled) { }

    /// <summary>The sender's flow: a drain has completed (credit is 0), or it told what is available.</summary>
    void OnFlow(ReceiverLink link) { }

    /// <summary>Link, session or connection is gone: exactly once. Nothing is settled by the library.</summary>
    void OnDetached(ReceiverLink link, AmqpError? error);
}
