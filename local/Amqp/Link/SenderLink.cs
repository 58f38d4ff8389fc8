namespace DroneDelivery.Amqp;

/// <summary>A link on which this end sends (AMQP 1.0 §2.6.7).</summary>
public sealed class SenderLink : AmqpLink
{
    private uint _initialDeliveryCount;

    internal SenderLink(AmqpSession session, string name)
        : base(session, name) { }

    /// <summary>
    /// There is credit, the session's window is open (AMQP 1.0 §2.5.6 lets no transfer pass that is closed), and on the whole connection
    /// not too much waits amid its frames for other windows.
    /// </summary>
    public bool CanSend => Credit > 0 && Session.IsWindowOpen && !Session.Connection.Allowance.Blocked.IsFull;

    /// <summary>The receiver wants all credit used or given back: send what is ready, then <see cref="CompleteDrain"/>.</summary>
    public bool IsDraining { get; private set; }

    internal override LinkRole Role => LinkRole.Sender;

    /// <summary>
    /// Sends one message and takes one credit; false, and nothing sent, when there is none or the session's window is closed (OnFlow
    /// tells when that is over), when a limit of the connection is reached (<see cref="IConnectionListener.OnWriteDrained"/> tells) or
    /// the link is gone.
    /// </summary>
    /// <param name="deliveryTag">at most 32 bytes, unique among the link's unsettled deliveries</param>
    /// <param name="body">the rest of it; may be empty</param>
    /// <param name="messageFormat">0, or the peer's own number</param>
    public bool TrySend(
        ReadOnlySpan<byte> deliveryTag,
        ReadOnlySpan<byte> head,
        ReadOnlySpan<byte> body,
        uint messageFormat,
        bool settled,
        object? context,
        out uint deliveryId
    )
    {
        if (deliveryTag.Length > Transfer.MaxTagLength)
        {
            throw new ArgumentException(
                $"A delivery tag has at most {Transfer.MaxTagLength} bytes.",
                nameof(deliveryTag)
            );
        }

        lock (Gate)
        {
            deliveryId = 0;
            if (!CanSend || (!settled && Session.Connection.IsUnsettledFull))
                return false;
            _credit--;
            _deliveryCount++;
            deliveryId = Session.Send(this, deliveryTag, head, body, messageFormat, settled, context);
            return true;
        }
    }

    /// <summary>
    /// Gives all credit back: delivery-count advances by it, and a flow says so (AMQP 1.0 §2.6.7). Nothing happens when the receiver
    /// has changed its mind.
    /// </summary>
    public void CompleteDrain()
    {
        lock (Gate)
        {
            if (IsClosed || !IsDraining)
                return;
            _deliveryCount += _credit;
            _credit = 0;
            WriteFlow(drain: true, available: 0);
            IsDraining = false;
        }
    }

    internal override void OnAttachSent(Attach attach) =>
        _deliveryCount = _initialDeliveryCount = attach.InitialDeliveryCount ?? 0;

    internal override void ApplyFlow(in Flow flow)
    {
        // A receiver that has not seen our attach cannot tell a count: it means the first one (AMQP 1.0 §2.7.4).
        if (flow.LinkCredit is { } granted)
            _credit = SerialNumber.Remaining(granted, flow.DeliveryCount ?? _initialDeliveryCount, _deliveryCount);
        IsDraining = flow.Drain;
        if (flow.Echo && Handler is not null)
            WriteFlow(IsDraining);
    }
}
