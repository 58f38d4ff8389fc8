namespace DroneDelivery.Amqp;

/// <summary>Handles the events of a link. Called on the connection's read loop. Must not block.</summary>
public interface ILinkHandler
{
    /// <summary>Called for each complete message, which has used one credit.</summary>
    void OnDelivery(ReceiverLink link, in IncomingDelivery delivery) { }

    /// <summary>Called for each unsettled delivery that a disposition of the peer covers. If <paramref
    /// name="settled"/>, the delivery is forgotten; otherwise, a sender responds with <see cref="AmqpLink.Settle"/>. A
    /// sender isn't notified of states that aren't outcomes.</summary>
    void OnDisposition(AmqpLink link, uint deliveryId, object? context, DeliveryState? state, bool settled) { }

    /// <summary>Called for a sender when a flow with credit or drain arrives or the session's window opens; for a
    /// receiver when a drain completes (credit is 0) or the peer reports available messages. Echo requests were already
    /// handled.</summary>
    void OnFlow(AmqpLink link) { }

    /// <summary>Called exactly once, when the link, session, or connection has ended. The library doesn't settle
    /// deliveries.</summary>
    void OnDetached(AmqpLink link, AmqpError? error);
}

/// <summary>A received message, valid during the call.</summary>
public readonly ref struct IncomingDelivery
{
    public uint DeliveryId { get; internal init; }

    /// <summary>At most 32 bytes, valid during the call.</summary>
    public ReadOnlySpan<byte> Tag { get; internal init; }
    public uint MessageFormat { get; internal init; }
    public bool Settled { get; internal init; }
    public DeliveryState? State { get; internal init; }

    /// <summary><c>true</c> if the message exceeded this end's maximum size. It was discarded and can be rejected.
    /// (AMQP 1.0 §2.7.3 detaches the link instead, but then the sender can't tell which message was too
    /// large.)</summary>
    public bool IsOversized { get; internal init; }

    public ReadOnlyMemory<byte> Payload => Buffer[Headroom..];

    /// <summary>See <see cref="ReceiverLink.Headroom"/>.</summary>
    public int Headroom { get; internal init; }

    /// <summary>The headroom followed by the message, in an array of exactly this size that the handler owns.</summary>
    public Memory<byte> Buffer { get; internal init; }
}
