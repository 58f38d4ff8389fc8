namespace DroneDelivery.Amqp;

/// <summary>A link on which this end sends (AMQP 1.0 §2.6.7).</summary>
public sealed class SenderLink : AmqpLink
{
    private SenderLink() { }

    /// <summary>Messages that may be sent now.</summary>
    public uint Credit => throw new NotImplementedException();

    /// <summary>The receiver wants all credit used or given back: send what is ready, then <see cref="CompleteDrain"/>.</summary>
    public bool IsDraining => throw new NotImplementedException();

    /// <summary>Sends one message and takes one credit; false, and nothing sent, when there is none or the link is gone.</summary>
    /// <param name="deliveryTag">at most 32 bytes, unique among the link's unsettled deliveries</param>
    /// <param name="head">first part of the message</param>
    /// <param name="body">the rest of it; may be empty</param>
    /// <param name="messageFormat">0, or the peer's own number</param>
    /// <param name="settled">no disposition will follow</param>
    /// <param name="context">given back in OnDisposition</param>
    /// <param name="deliveryId">names the delivery in this session</param>
    public bool TrySend(
        ReadOnlySpan<byte> deliveryTag,
        ReadOnlySpan<byte> head,
        ReadOnlySpan<byte> body,
        uint messageFormat,
        bool settled,
        object? context,
        out uint deliveryId) => throw new NotImplementedException();

    /// <summary>Waits for credit, sends, and waits for the outcome (Accepted at once when <paramref name="settled"/>).</summary>
    /// <exception cref="AmqpException">the link is gone; the message may have arrived</exception>
    public Task<DeliveryState> SendAsync(ReadOnlyMemory<byte> message, uint messageFormat, bool settled, CancellationToken ct) =>
        throw new NotImplementedException();

    /// <summary>Settles toward the receiver. Neighbouring ids with the same state that are settled together go as one frame.</summary>
    public void Settle(uint deliveryId, DeliveryState? state) => throw new NotImplementedException();

    /// <summary>Gives all credit back: delivery-count advances by it, and a flow says so (AMQP 1.0 §2.6.7).</summary>
    public void CompleteDrain() => throw new NotImplementedException();

    /// <summary>Tells the receiver what is available, or asks it for its flow with <paramref name="echo"/>.</summary>
    public void Flow(uint? available = null, bool echo = false) => throw new NotImplementedException();
}
