namespace DroneDelivery.Amqp;

/// <summary>An endpoint of a link (AMQP 1.0 §2.6).</summary>
public abstract class AmqpLink
{
    /// <summary>The stages of a link, in order. A link can skip some.</summary>
    private enum Stage
    {
        Attaching,
        Offered,
        Attached,
        Detaching,
        Detached,
    }

    private Stage _stage;
    private bool _isFinished;
    private AmqpError? _error;
    private protected uint _deliveryCount;
    private protected uint _credit;

    private protected AmqpLink(AmqpSession session, string name)
    {
        Session = session;
        Name = name;
    }

    public string Name { get; }

    public AmqpSession Session { get; }

    /// <summary>The peer's attach, once it was received.</summary>
    public Attach Remote { get; private set; } = null!;

    public object? State { get; set; }

    public uint Credit => IsClosed ? 0 : _credit;

    /// <summary><c>true</c> once either side has detached the link, or its session or connection has ended.</summary>
    public bool IsClosed => _stage >= Stage.Detaching || Session.IsEnded;

    internal abstract LinkRole Role { get; }

    internal uint Handle { get; set; }

    internal ILinkHandler? Handler { get; set; }

    private protected Lock Gate => Session.Connection.Gate;

    private UnsettledDeliveries Unsettled => Role == LinkRole.Sender ? Session.Outgoing : Session.Incoming;

    /// <summary>Sends a detach with closed=true. The link immediately has no credit. OnDetached is called on the read
    /// loop after the peer's response.</summary>
    public void Detach(AmqpError? error)
    {
        lock (Gate)
        {
            if (IsClosed || _stage == Stage.Offered)
                return;
            _error = error;
            _stage = Stage.Detaching;
            Session.WriteDetach(this, closed: true, error);
        }
    }

    /// <summary>Sends a disposition and, if <paramref name="settled"/>, forgets the delivery. Combines consecutive IDs
    /// with the same state into one frame. Ignored if the delivery isn't unsettled.</summary>
    public void Settle(uint deliveryId, DeliveryState? state, bool settled = true)
    {
        lock (Gate)
        {
            if (IsClosed || !Unsettled.Has(deliveryId, this))
                return;
            Session.HoldBack(Role, deliveryId, state, settled);
            if (settled)
                Unsettled.Remove(deliveryId);
        }
    }

    internal void OnAttached(Attach remote)
    {
        Remote = remote;
        ApplyRemoteAttach(remote);
        if (_stage == Stage.Attaching)
            _stage = remote.Link == this ? Stage.Offered : Stage.Attached;
    }

    /// <summary>Accepts the peer's attach, on any thread. If the link has already ended, notifies the handler, because
    /// <see cref="Finish"/> found none.</summary>
    internal void Accept(Attach reply, ILinkHandler handler)
    {
        lock (Gate)
        {
            if (Handler is not null)
                throw new InvalidOperationException("The attach was already accepted or rejected.");
            Handler = handler;
            if (!_isFinished)
            {
                if (!IsClosed)
                    WriteResponse(reply);
                return;
            }
        }
        handler.OnDetached(this, _error);
    }

    /// <summary>Rejects the peer's attach. Ignored if the peer has already detached.</summary>
    internal void Reject(AmqpError error)
    {
        if (IsClosed)
            return;
        if (_stage != Stage.Offered)
            throw new InvalidOperationException("The attach was already accepted or rejected.");
        WriteResponse(new Attach());
        Detach(error);
    }

    internal void OnDetach(Detach detach)
    {
        if (_stage == Stage.Offered)
            WriteResponse(new Attach());
        if (_stage < Stage.Detaching)
            Session.WriteDetach(this, detach.Closed, error: null);
        _stage = Stage.Detached;
    }

    /// <summary>Ends the link after the peer's detach or with its session. Call without the lock, because it notifies
    /// the handler.</summary>
    internal void Finish(AmqpError? error)
    {
        ILinkHandler? owner;
        lock (Gate)
        {
            if (_isFinished)
                return;
            _isFinished = true;
            _stage = Stage.Detached;
            _error = error ?? _error;
            owner = Handler;
            Unsettled.Forget(this);
        }
        ReleaseBuffers();
        owner?.OnDetached(this, _error);
    }

    internal abstract void OnAttachSent(Attach attach);

    internal abstract void ApplyFlow(in Flow flow);

    private protected virtual void ApplyRemoteAttach(Attach remote) { }

    private protected virtual void ReleaseBuffers() { }

    private protected void WriteFlow(bool drain, uint? available = null) =>
        Session.WriteFlow(
            new Flow
            {
                Handle = Handle,
                DeliveryCount = _deliveryCount,
                LinkCredit = _credit,
                Available = available,
                Drain = drain,
            }
        );

    private void WriteResponse(Attach reply)
    {
        reply.SndSettleMode ??= Remote.SndSettleMode;
        reply.RcvSettleMode ??= Remote.RcvSettleMode;
        _stage = Stage.Attached;
        Session.WriteAttach(this, reply);
        OnAttachSent(reply);
    }
}
