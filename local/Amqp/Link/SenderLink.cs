using System.Buffers.Binary;
using System.Diagnostics;

namespace DroneDelivery.Amqp;

/// <summary>A link on which this end sends (AMQP 1.0 §2.6.7).</summary>
public sealed class SenderLink : AmqpLink
{
    private readonly Queue<SendOperation> _waiting = [];
    private uint _deliveryCount;
    private uint _initialDeliveryCount;
    private uint _credit;
    private ulong _tags;

    internal SenderLink(AmqpSession session, string name) : base(session, name) { }

    /// <summary>Messages that may be sent now.</summary>
    public uint Credit => IsClosed ? 0 : _credit;

    /// <summary>
    /// There is credit, the session's window is open (AMQP 1.0 §2.5.6 lets no transfer pass that is closed), and on the whole connection
    /// not too much waits amid its frames for other windows.
    /// </summary>
    public bool CanSend => Credit > 0 && Session.IsWindowOpen && !Session.Connection.Allowance.Blocked.IsFull;

    /// <summary>The receiver wants all credit used or given back: send what is ready, then <see cref="CompleteDrain"/>.</summary>
    public bool IsDraining { get; private set; }

    internal override LinkRole Role => LinkRole.Sender;

    internal ISenderHandler? Handler { get; set; }

    /// <summary>
    /// Sends one message and takes one credit; false, and nothing sent, when there is none or the session's window is closed (OnFlow
    /// tells when that is over), when a limit of the connection is reached (<see cref="AmqpConnection.WriteDrained"/> tells) or the link
    /// is gone.
    /// </summary>
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
        out uint deliveryId)
    {
        if (deliveryTag.Length > Transfer.MaxTagLength)
            throw new ArgumentException($"A delivery tag has at most {Transfer.MaxTagLength} bytes.", nameof(deliveryTag));
        lock (Gate)
        {
            deliveryId = 0;
            if (!CanSend || (!settled && Session.Connection.IsUnsettledFull))
                return false;
            deliveryId = Send(deliveryTag, head, body, messageFormat, settled, context);
            return true;
        }
    }

    /// <summary>Waits for credit, sends, and waits for the outcome (Accepted at once when <paramref name="settled"/>).</summary>
    /// <exception cref="AmqpException">the link is gone; the message may have arrived</exception>
    /// <exception cref="OperationCanceledException">the message may have arrived</exception>
    public Task<DeliveryState> SendAsync(
        ReadOnlyMemory<byte> message, uint messageFormat, bool settled, CancellationToken cancellationToken)
    {
        var operation = new SendOperation(message, messageFormat, settled, cancellationToken);
        lock (Gate)
        {
            if (IsClosed)
            {
                operation.Fail(new AmqpException(ErrorConditions.DetachForced, $"The link '{Name}' is gone."));
                return operation.Task;
            }
            _waiting.Enqueue(operation);
            SendWaiting();
        }
        return operation.Task;
    }

    /// <summary>Settles toward the receiver. Neighbouring ids with the same state that are settled together go as one frame.</summary>
    public void Settle(uint deliveryId, DeliveryState? state)
    {
        lock (Gate)
        {
            if (IsClosed || !Session.Outgoing.Has(deliveryId, this))
                return;
            Session.HoldBack(LinkRole.Sender, deliveryId, state, settled: true);
            Session.Outgoing.Remove(deliveryId);
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
            WriteFlow(available: 0, echo: false);
            IsDraining = false;
        }
    }

    /// <summary>Tells the receiver what is available, or asks it for its flow with <paramref name="echo"/>.</summary>
    public void Flow(uint? available = null, bool echo = false)
    {
        lock (Gate)
        {
            if (!IsClosed)
                WriteFlow(available, echo);
        }
    }

    internal override void OnAttachSent(Attach attach) => _deliveryCount = _initialDeliveryCount = attach.InitialDeliveryCount ?? 0;

    internal override void ApplyFlow(in Flow flow)
    {
        Debug.Assert(Gate.IsHeldByCurrentThread);
        // A receiver that has not seen our attach cannot tell a count: it means the first one (AMQP 1.0 §2.7.4).
        if (flow.LinkCredit is { } granted)
            _credit = SerialNumber.Remaining(granted, flow.DeliveryCount ?? _initialDeliveryCount, _deliveryCount);
        IsDraining = flow.Drain;
        SendWaiting();
        if (flow.Echo && Handler is not null)
            WriteFlow(available: null, echo: false);
    }

    internal override void NotifyFlow() => Handler?.OnFlow(this);

    internal void OnWindowOpen() => SendWaiting();

    internal void OnDisposition(uint deliveryId, object? context, DeliveryState? state, bool settled)
    {
        if (context is not SendOperation operation)
        {
            Handler?.OnDisposition(this, deliveryId, context, state, settled);
            return;
        }
        if (!settled)
            Settle(deliveryId, state);
        // A peer that forgets the delivery without a word has not taken it.
        operation.End(state ?? Released.Instance);
    }

    private protected override void ApplyRemoteAttach(Attach remote) { }

    private protected override bool IsRefusal(Attach remote) => remote is { Target: null, Coordinator: null };

    private protected override void NotifyDetached(AmqpError? error) => Handler?.OnDetached(this, error);

    private protected override void Abandon(AmqpException why)
    {
        Session.Outgoing.Abandon(this, why);
        while (_waiting.TryDequeue(out var operation))
            operation.Fail(why);
    }

    private uint Send(
        ReadOnlySpan<byte> tag, ReadOnlySpan<byte> head, ReadOnlySpan<byte> body, uint messageFormat, bool settled, object? context)
    {
        _credit--;
        _deliveryCount++;
        return Session.Send(this, tag, head, body, messageFormat, settled, context);
    }

    private void SendWaiting()
    {
        Debug.Assert(Gate.IsHeldByCurrentThread);
        Span<byte> tag = stackalloc byte[sizeof(ulong)];
        while (_credit > 0 && Session.IsWindowOpen && _waiting.TryDequeue(out var operation))
        {
            if (operation.Task.IsCompleted)
                continue; // cancelled while it waited
            BinaryPrimitives.WriteUInt64BigEndian(tag, _tags++);
            Send(tag, operation.Message.Span, default, operation.MessageFormat, operation.Settled, operation);
            if (operation.Settled)
                operation.End(Accepted.Instance);
        }
    }

    private void WriteFlow(uint? available, bool echo) => Session.WriteFlow(new Flow
    {
        Handle = Handle,
        DeliveryCount = _deliveryCount,
        LinkCredit = _credit,
        Available = available,
        Drain = IsDraining,
        Echo = echo,
    });
}
