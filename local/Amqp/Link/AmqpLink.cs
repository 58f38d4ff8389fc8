namespace DroneDelivery.Amqp;

/// <summary>One end of a link (AMQP 1.0 §2.6).</summary>
public abstract class AmqpLink
{
    /// <summary>Only forward; not every link sees every one.</summary>
    private enum Stage
    {
        Attaching, // our attach waits for the peer's
        Offered, // the peer's attach waits for ours
        Attached,
        Detaching, // our detach waits for the peer's
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

    /// <summary>The peer's attach, once it has come.</summary>
    public Attach Remote { get; private set; } = null!;

    /// <summary>Free for the owner.</summary>
    public object? State { get; set; }

    /// <summary>Messages that may come or go now: what is left of what the receiver has granted.</summary>
    public uint Credit => IsClosed ? 0 : _credit;

    /// <summary>True from the moment either side detached the link, or its session or connection is gone.</summary>
    public bool IsClosed => _stage >= Stage.Detaching || Session.IsEnded;

    /// <summary>Our role.</summary>
    internal abstract LinkRole Role { get; }

    /// <summary>Our handle.</summary>
    internal uint Handle { get; set; }

    /// <summary>The owner; null: the peer's attach is not accepted.</summary>
    internal ILinkHandler? Handler { get; set; }

    private protected Lock Gate => Session.Connection.Gate;

    private UnsettledDeliveries Unsettled => Role == LinkRole.Sender ? Session.Outgoing : Session.Incoming;

    /// <summary>
    /// Sends detach with closed=true. The link has no credit from the moment of the call; OnDetached comes on the read loop when the peer
    /// has answered.
    /// </summary>
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

    /// <summary>Sends a disposition; with <paramref name="settled"/> the delivery is then forgotten. Consecutive ids with the same state
    /// become one frame. Does nothing if the delivery isn't unsettled here.</summary>
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

    /// <summary>The peer's attach, an offer or the answer to ours.</summary>
    internal void OnAttached(Attach remote)
    {
        Remote = remote;
        ApplyRemoteAttach(remote);
        if (_stage == Stage.Attaching)
            _stage = remote.Link == this ? Stage.Offered : Stage.Attached;
    }

    /// <summary>Our answer to an offer. The listener may give it on any thread, while the link ends on the read loop:
    /// <code>
    ///   T1 read loop   the peer's attach: the listener gets the offer and answers later
    ///   T2 read loop   the peer's detach, or the end of session or connection: <see cref="Finish"/>
    ///   T3 any thread  the listener's answer: Accept
    /// </code>
    /// The handler has to hear of the end exactly once. With T2 before T3 there is no handler yet, so Finish tells nobody and Accept tells
    /// it before the return. With T3 before T2 Finish tells it. The lock decides which came first: each sets its own mark and reads the
    /// other's in one hold.</summary>
    internal void Accept(Attach reply, ILinkHandler handler)
    {
        lock (Gate)
        {
            if (Handler is not null)
                throw new InvalidOperationException("The attach was answered already.");
            Handler = handler;
            if (!_isFinished)
            {
                if (!IsClosed)
                    WriteAnswer(reply);
                return;
            }
        }
        handler.OnDetached(this, _error);
    }

    /// <summary>Nobody is left to be told when the peer is gone already.</summary>
    internal void Refuse(AmqpError error)
    {
        if (IsClosed)
            return;
        if (_stage != Stage.Offered)
            throw new InvalidOperationException("The attach was answered already.");
        WriteAnswer(new Attach());
        Detach(error);
    }

    /// <summary>The peer's detach, which is answered unless it is an answer.</summary>
    internal void OnDetach(Detach detach)
    {
        if (_stage == Stage.Offered)
            WriteAnswer(new Attach());
        if (_stage < Stage.Detaching)
            Session.WriteDetach(this, detach.Closed, error: null);
        _stage = Stage.Detached;
    }

    /// <summary>The link is gone, by the peer's detach or with its session. Without the lock: the handler is told.</summary>
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

    /// <summary>Under the lock.</summary>
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

    private void WriteAnswer(Attach reply)
    {
        reply.SndSettleMode ??= Remote.SndSettleMode;
        reply.RcvSettleMode ??= Remote.RcvSettleMode;
        _stage = Stage.Attached;
        Session.WriteAttach(this, reply);
        OnAttachSent(reply);
    }
}
