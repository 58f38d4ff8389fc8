namespace DroneDelivery.Amqp;

/// <summary>What happens to a link on which this end sends. Called on the connection's read loop; must not block.</summary>
public interface ISenderHandler
{
    /// <summary>
    /// A flow with credit or drain came, or the session's window is open again. An echo is answered by the library before this call.
    /// </summary>
    void OnFlow(SenderLink link);

    /// <summary>
    /// The peer told of a delivery that is still unsettled here: called once for each id of the range, settled ones are skipped.
    /// With <paramref name="settled"/> the delivery is forgotten; else the owner answers with <see cref="SenderLink.Settle"/>.
    /// What is no outcome, such as how much has arrived, does not come here.
    /// </summary>
    void OnDisposition(SenderLink link, uint deliveryId, object? context, DeliveryState? state, bool settled) { }

    /// <summary>Link, session or connection is gone: exactly once. Nothing is settled by the library.</summary>
    void OnDetached(SenderLink link, AmqpError? error);
}
