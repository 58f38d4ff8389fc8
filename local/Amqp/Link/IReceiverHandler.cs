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

/// <summary>A message as it arrived; a view for the time of the call.</summary>
public readonly ref struct IncomingDelivery
{
    public uint DeliveryId { get; internal init; }
    /// <summary>At most 32 bytes; valid during the call.</summary>
    public ReadOnlySpan<byte> Tag { get; internal init; }
    public uint MessageFormat { get; internal init; }
    public bool Settled { get; internal init; }
    public DeliveryState? State { get; internal init; }
    /// <summary>The message was larger than the attach of this end allows: it was taken off the wire and not kept, and waits to be
    /// rejected. (AMQP 1.0 §2.7.3 would have the link end, but then the sender could not tell which message was at fault.)</summary>
    public bool IsOversized { get; internal init; }
    /// <summary>The message.</summary>
    public ReadOnlyMemory<byte> Payload => Buffer[Headroom..];
    /// <summary>As <see cref="ReceiverLink.Headroom"/>.</summary>
    public int Headroom { get; internal init; }
    /// <summary>Bytes that are free, then the message: one array of exactly that size, which belongs to the receiver of the
    /// call.</summary>
    public Memory<byte> Buffer { get; internal init; }
}
