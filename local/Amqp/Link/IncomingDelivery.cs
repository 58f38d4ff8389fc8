namespace DroneDelivery.Amqp;

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
