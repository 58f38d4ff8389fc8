namespace DroneDelivery.Amqp;

/// <summary>A link on which this end sends (AMQP 1.0 §2.6.7).</summary>
public sealed class SenderLink : AmqpLink
{
    private uint _initialDeliveryCount;

    internal SenderLink(AmqpSession session, string name)
        : base(session, name) { }

    /// <summary><c>true</c> if there is credit, the session's window is open (AMQP 1.0 §2.5.6), and the connection
    /// doesn't have too many partially sent messages.</summary>
    public bool CanSend => Credit > 0 && Session.IsWindowOpen && !Session.Connection.Allowance.Blocked.IsFull;

    /// <summary><c>true</c> if the receiver requests a drain. Send the available messages, and then call <see
    /// cref="CompleteDrain"/>.</summary>
    public bool IsDraining { get; private set; }

    internal override LinkRole Role => LinkRole.Sender;

    /// <summary>Sends a message, using one credit. Returns <c>false</c> if nothing was sent: there is no credit or the
    /// session's window is closed (OnFlow follows), a limit of the connection is reached (<see
    /// cref="IConnectionListener.OnWriteDrained"/> follows), or the link is closed.</summary>
    /// <param name="deliveryTag">At most 32 bytes, unique among the link's unsettled deliveries.</param>
    /// <param name="messageFormat">0, or a format of the peer.</param>
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
                $"A delivery tag can have at most {Transfer.MaxTagLength} bytes.",
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

    /// <summary>Returns all credit: advances the delivery-count and sends a flow (AMQP 1.0 §2.6.7). Ignored if the
    /// receiver no longer drains.</summary>
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
        // A receiver that hasn't seen the attach doesn't know the delivery-count and means the initial one (AMQP 1.0
        // §2.7.4).
        if (flow.LinkCredit is { } granted)
            _credit = SerialNumber.Remaining(granted, flow.DeliveryCount ?? _initialDeliveryCount, _deliveryCount);
        IsDraining = flow.Drain;
        if (flow.Echo && Handler is not null)
            WriteFlow(IsDraining);
    }
}
