namespace DroneDelivery.Amqp;

/// <summary>A link on which this end receives (AMQP 1.0 §2.6.7).</summary>
public sealed class ReceiverLink : AmqpLink
{
    private ReceiverLink() { }

    /// <summary>What is left of the granted credit.</summary>
    public uint Credit => throw new NotImplementedException();

    /// <summary>Messages that the sender said it has; null when it never did.</summary>
    public uint? Available => throw new NotImplementedException();

    /// <summary>Grants credit: counted from now, not added.</summary>
    /// <param name="credit">messages</param>
    /// <param name="drain">the sender must use or give back all of it; OnFlow tells when it has</param>
    public void SetCredit(uint credit, bool drain = false) => throw new NotImplementedException();

    /// <summary>
    /// Sends a disposition; with <paramref name="settled"/> the delivery is forgotten. Neighbouring ids with the same state that go
    /// together become one frame.
    /// </summary>
    public void Settle(uint deliveryId, DeliveryState? state, bool settled = true) => throw new NotImplementedException();

    /// <summary>
    /// Sends an unsettled disposition and completes with the state that the sender settles with (AMQP 1.0 §2.6.12, receiver settles
    /// second). Neighbours go together as in <see cref="Settle"/>.
    /// </summary>
    /// <exception cref="AmqpException">the link went first</exception>
    /// <exception cref="InvalidOperationException">the delivery is not unsettled here</exception>
    public Task<DeliveryState?> SettleAsync(uint deliveryId, DeliveryState state, CancellationToken ct) => throw new NotImplementedException();
}
