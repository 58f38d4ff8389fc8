using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A link on which a client receives from a queue.</summary>
internal sealed class OutgoingLink : ISenderHandler
{
    readonly Queue queue;
    readonly AmqpSession session;
    readonly SettlementLatency? latency;
    readonly Action<AmqpLink> onDetached;
    readonly QueueReceiver receiver;
    readonly ReceiveMode mode;
    SenderLink link = null!;
    int unsettled;
    int maxUnsettled;

    public OutgoingLink(
        Queue queue,
        AmqpSession session,
        Attach attach,
        SettlementLatency? latency,
        Action<AmqpLink> onDetached,
        Action<AmqpLink, Exception> onFailed)
    {
        this.queue = queue;
        this.session = session;
        this.latency = latency;
        this.onDetached = onDetached;
        mode = attach.SndSettleMode == SenderSettleMode.Settled ? ReceiveMode.ReceiveAndDelete : ReceiveMode.PeekLock;
        receiver = queue.AddReceiver(mode, Deliver, error => onFailed(link, error), AnswerDrain);
    }

    public LinkState Current => new(
        session.Connection.Id,
        link.Name,
        link.Credit,
        Math.Max(0, Volatile.Read(ref unsettled)),
        Volatile.Read(ref maxUnsettled));

    public SenderLink Accept(Attach attach)
    {
        link = session.AcceptSender(attach, Reply(attach), this);
        link.State = this;
        OnFlow(link); // credit may have come behind the attach already
        return link;
    }

    /// <summary>The connection has room again.</summary>
    public void OnWriteDrained() => OnFlow(link);

    public void OnFlow(SenderLink link)
    {
        if (link.IsDraining) receiver.SignalLast();
        else if (IsReady) receiver.Signal();
    }

    public void OnDisposition(SenderLink link, uint deliveryId, object? context, DeliveryState? state, bool settled)
    {
        if (context is not Guid token) return;
        // Settled without an outcome: the client wants no more of it.
        if (settled && Outcome.ToSettlement(state) is null) state = Released.Instance;
        if (Settle(token, state) is not { } answer) return;
        if (settled) Interlocked.Decrement(ref unsettled);
        else if (latency is null) Answer(deliveryId, answer);
        else latency.Answer(() => Answer(deliveryId, answer));
    }

    public void OnDetached(SenderLink link, AmqpError? error)
    {
        receiver.Close();
        onDetached(link);
    }

    /// <summary>A message that is handed out now can leave now: one that waits here instead would spend its lock, or be lost.</summary>
    bool IsReady => link.CanSend && !HoldsTooMuch && !session.Connection.IsWriteBacklogged;

    /// <summary>Only the client ends this, by settling what it has: a drain does not wait for it.</summary>
    bool HoldsTooMuch => mode == ReceiveMode.PeekLock && session.Connection.IsUnsettledFull;

    HandOver Deliver(QueuedMessage message, MessageLock? held)
    {
        var sent = IsReady && TrySend(message, held);
        // The queue may be busy with others for long before it is exhausted.
        if (link.Credit == 0 || HoldsTooMuch) AnswerDrain();
        if (!sent) return HandOver.Refused;
        return IsReady ? HandOver.SentWantsMore : HandOver.SentEnough;
    }

    bool TrySend(QueuedMessage message, MessageLock? held)
    {
        using var head = new AmqpWriter();
        var body = OutgoingMessage.WriteHead(head, message, held);
        Span<byte> tag = stackalloc byte[16];
        // Nothing refers to the tag of a message that is gone, but SDKs expect something that looks like a lock token.
        (held?.Token ?? MessageLock.TokenFor(message.SequenceNumber, 0)).TryWriteBytes(tag);
        var sent = link.TrySend(tag, head.WrittenSpan, body.Span, messageFormat: 0, settled: held is null, held?.Token, out _);
        if (sent && held is not null) maxUnsettled = Math.Max(maxUnsettled, Interlocked.Increment(ref unsettled));
        return sent;
    }

    /// <summary>What was ready has been sent, as far as the credit goes.</summary>
    void AnswerDrain()
    {
        if (link.IsDraining) link.CompleteDrain();
    }

    DeliveryState? Settle(Guid token, DeliveryState? state)
    {
        if (state is TransactionalState) return new Rejected(Refusal.Transactions);
        return Outcome.ToSettlement(state) is { } settlement ? Outcome.Answer(state!, queue.Settle(token, settlement)) : null;
    }

    void Answer(uint deliveryId, DeliveryState answer)
    {
        // Before the answer: it makes the client grant credit, and the count must not run ahead of that.
        Interlocked.Decrement(ref unsettled);
        link.Settle(deliveryId, answer);
    }

    Attach Reply(Attach attach) => new()
    {
        SndSettleMode = attach.SndSettleMode,
        RcvSettleMode = attach.RcvSettleMode,
        Source = new Source { Address = attach.Source!.Address },
        Target = attach.Target ?? new Target(),
        InitialDeliveryCount = 0,
        MaxMessageSize = (ulong)queue.Options.MaxMessageSize,
    };
}
