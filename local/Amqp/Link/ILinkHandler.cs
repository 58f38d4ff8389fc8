namespace DroneDelivery.Amqp;

/// <summary>What happens to a link. Called on the connection's read loop; must not block.</summary>
public interface ILinkHandler
{
    /// <summary>A whole message came and took one credit.</summary>
    void OnDelivery(ReceiverLink link, in IncomingDelivery delivery) { }

    /// <summary>
    /// The peer told of a delivery that is still unsettled here: called once for each id of the range, settled ones are skipped.
    /// With <paramref name="settled"/> the delivery is forgotten; else a sender answers with <see cref="AmqpLink.Settle"/>.
    /// What is no outcome, such as how much has arrived, does not come to a sender.
    /// </summary>
    /// <param name="context">what was given with a delivery that was sent</param>
    void OnDisposition(AmqpLink link, uint deliveryId, object? context, DeliveryState? state, bool settled) { }

    /// <summary>
    /// To a sender: a flow with credit or drain came, or the session's window is open again. To a receiver: a drain has completed (credit
    /// is 0), or the peer told what is available. An echo is answered by the library before this call.
    /// </summary>
    void OnFlow(AmqpLink link) { }

    /// <summary>Link, session or connection is gone: exactly once. Nothing is settled by the library.</summary>
    void OnDetached(AmqpLink link, AmqpError? error);
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
