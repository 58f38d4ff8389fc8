using System.Diagnostics;

namespace DroneDelivery.Amqp;

/// <summary>One end of a link (AMQP 1.0 §2.6).</summary>
public abstract class AmqpLink
{
    /// <summary>Only forward; not every link sees every one.</summary>
    private enum Stage
    {
        Attaching, // our attach waits for the peer's
        Offered,   // the peer's attach waits for ours
        Attached,
        Detaching, // our detach waits for the peer's
        Detached,
    }

    // Made where somebody waits: most links of a server were attached by the peer, and last.
    private TaskCompletionSource? _attached;
    private TaskCompletionSource? _detached;
    private Stage _stage;
    private bool _isAccepted;
    private bool _isFinished;
    private AmqpError? _error;

    private protected AmqpLink(AmqpSession session, string name)
    {
        Session = session;
        Name = name;
    }

    public string Name { get; }

    public AmqpSession Session { get; }

    /// <summary>The peer's attach.</summary>
    public Attach Remote => RemoteAttach ?? throw new InvalidOperationException("The peer has not attached.");

    /// <summary>Free for the owner.</summary>
    public object? State { get; set; }

    /// <summary>True from the moment either side detached the link, or its session or connection is gone.</summary>
    public bool IsClosed => _stage >= Stage.Detaching || Session.IsEnded;

    /// <summary>Our role.</summary>
    internal abstract LinkRole Role { get; }

    /// <summary>Our handle.</summary>
    internal uint Handle { get; set; }

    internal Attach? RemoteAttach { get; private set; }

    private protected Lock Gate => Session.Connection.Gate;

    /// <summary>
    /// Sends detach with closed=true and waits for the peer's. The link has no credit from the moment of the call; OnDetached comes
    /// on the read loop when the peer has answered.
    /// </summary>
    public Task DetachAsync(AmqpError? error = null, CancellationToken cancellationToken = default)
    {
        lock (Gate)
        {
            BeginDetach(error);
            if (_isFinished)
                return Task.CompletedTask;
            _detached ??= new(TaskCreationOptions.RunContinuationsAsynchronously);
            return _detached.Task.WaitAsync(cancellationToken);
        }
    }

    internal void BeginDetach(AmqpError? error)
    {
        Debug.Assert(Gate.IsHeldByCurrentThread);
        if (IsClosed || _stage == Stage.Offered)
            return;
        _error = error;
        _stage = Stage.Detaching;
        Session.WriteDetach(this, closed: true, error);
    }

    /// <summary>Ours is written: completes with the peer's.</summary>
    internal Task AttachedAsync()
    {
        Debug.Assert(Gate.IsHeldByCurrentThread);
        _attached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        return _attached.Task;
    }

    /// <summary>The peer's attach, an offer or the answer to ours.</summary>
    internal void OnAttached(Attach remote)
    {
        Debug.Assert(Gate.IsHeldByCurrentThread);
        RemoteAttach = remote;
        ApplyRemoteAttach(remote);
        if (remote.Link == this)
        {
            _stage = Stage.Offered;
        }
        else if (_stage == Stage.Attaching && !IsRefusal(remote))
        {
            _stage = Stage.Attached;
            _attached?.TrySetResult();
        }
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
    internal void Accept(Attach reply)
    {
        lock (Gate)
        {
            if (_isAccepted)
                throw new InvalidOperationException("The attach was answered already.");
            _isAccepted = true;
            if (!_isFinished)
            {
                if (!IsClosed)
                    WriteAnswer(reply);
                return;
            }
        }
        NotifyDetached(_error);
    }

    /// <summary>Nobody is left to be told when the peer is gone already.</summary>
    internal void Refuse(AmqpError error)
    {
        Debug.Assert(Gate.IsHeldByCurrentThread);
        if (IsClosed)
            return;
        if (_stage != Stage.Offered)
            throw new InvalidOperationException("The attach was answered already.");
        WriteAnswer(new Attach());
        try
        {
            BeginDetach(error);
        }
        catch (ArgumentException e)
        {
            throw DoesNotFit(e);
        }
    }

    /// <summary>The peer's detach, which is answered unless it is an answer.</summary>
    internal void OnDetach(Detach detach)
    {
        Debug.Assert(Gate.IsHeldByCurrentThread);
        if (_stage == Stage.Offered)
            WriteAnswer(new Attach());
        if (_stage < Stage.Detaching)
            Session.WriteDetach(this, detach.Closed, error: null);
        _stage = Stage.Detached;
    }

    /// <summary>The link is gone, by the peer's detach or with its session. Without the lock: the handler is told.</summary>
    internal void Finish(AmqpError? error)
    {
        bool isOwned;
        lock (Gate)
        {
            if (_isFinished)
                return;
            _isFinished = true;
            _stage = Stage.Detached;
            _error = error ?? _error;
            // Who still waits for the attach is told there, and by nothing else.
            isOwned = _isAccepted || _attached is { Task.IsCompletedSuccessfully: true };
            _attached?.TrySetException(
                new AmqpException(_error ?? new AmqpError(ErrorConditions.DetachForced, "The link was detached.")));
            ForgetUnsettled();
        }
        ReleaseBuffers();
        _detached?.TrySetResult();
        if (isOwned)
            NotifyDetached(_error);
    }

    internal virtual void OnAttachSent(Attach attach) { }

    /// <summary>Under the lock.</summary>
    internal abstract void ApplyFlow(in Flow flow);

    internal abstract void NotifyFlow();

    /// <summary>The peer has told of a delivery that is unsettled here.</summary>
    /// <param name="context">what was given with a delivery that was sent</param>
    internal abstract void OnDisposition(uint deliveryId, object? context, DeliveryState? state, bool settled);

    private protected abstract void ApplyRemoteAttach(Attach remote);

    /// <summary>A peer that refuses attaches without the terminus that this link is for, then detaches (AMQP 1.0 §2.6.3).</summary>
    private protected abstract bool IsRefusal(Attach remote);

    private protected abstract void NotifyDetached(AmqpError? error);

    /// <summary>Under the lock.</summary>
    private protected abstract void ForgetUnsettled();

    private protected virtual void ReleaseBuffers() { }

    private void WriteAnswer(Attach reply)
    {
        reply.SndSettleMode ??= Remote.SndSettleMode;
        reply.RcvSettleMode ??= Remote.RcvSettleMode;
        _stage = Stage.Attached;
        try
        {
            Session.WriteAttach(this, reply);
        }
        catch (ArgumentException e)
        {
            throw DoesNotFit(e);
        }
        OnAttachSent(reply);
    }

    // An answer says the peer's own words again, such as the name or an address: that they don't fit into its frames is its own doing.
    private static AmqpException DoesNotFit(ArgumentException e) => new(new AmqpError(ErrorConditions.FrameSizeTooSmall, e.Message), e);
}
