using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Transactions;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A link on which a client receives from a queue, or from a session of it.</summary>
internal sealed class OutgoingLink : ISenderHandler
{
    private readonly Queue _queue;
    private readonly ReadRequests _requests;
    private readonly ClientTransactions _transactions;
    private readonly AmqpSession _session;
    private readonly SettlementLatency? _latency;
    private readonly Action<AmqpLink> _onDetached;
    private readonly QueueReceiver _receiver;
    private readonly ReceiveMode _mode;
    private readonly SessionHold? _hold;
    private SenderLink _link = null!;
    private AmqpWriter? _head;
    private int _unsettled;
    private int _maxUnsettled;

    public OutgoingLink(
        Queue queue,
        ReadRequests requests,
        ClientTransactions transactions,
        AmqpSession session,
        Attach attach,
        SettlementLatency? latency,
        Action<AmqpLink> onDetached,
        Action<AmqpLink, Exception> onFailed,
        SessionHold? hold = null)
    {
        _queue = queue;
        _requests = requests;
        _transactions = transactions;
        _session = session;
        _latency = latency;
        _onDetached = onDetached;
        _mode = attach.SndSettleMode == SenderSettleMode.Settled ? ReceiveMode.ReceiveAndDelete : ReceiveMode.PeekLock;
        _hold = hold;
        _receiver = queue.AddReceiver(_mode, Deliver, error => onFailed(_link, error), AnswerDrain, hold);
    }

    public LinkState Current => new(
        _session.Connection.Id,
        _link.Name,
        _link.Credit,
        Math.Max(0, Volatile.Read(ref _unsettled)),
        Volatile.Read(ref _maxUnsettled));

    public SenderLink Accept(Attach attach)
    {
        _link = _session.AcceptSender(attach, Reply(attach), this);
        attach.Forget();
        _link.State = this;
        OnFlow(_link); // credit may have come behind the attach already
        return _link;
    }

    /// <summary>The connection has room again.</summary>
    public void OnWriteDrained() => OnFlow(_link);

    public void OnFlow(SenderLink link)
    {
        // Of a client that waited for a session: its credit may come while another thread still accepts the link.
        _link = link;
        if (link.IsDraining)
            _receiver.SignalLast();
        else if (IsReady)
            _receiver.Signal();
    }

    public void OnDisposition(SenderLink link, uint deliveryId, object? context, DeliveryState? state, bool settled)
    {
        // A client that repeats itself before the answer has said nothing new.
        if (context is not MessageLock { IsBeingSettled: false } held)
            return;
        if (state is TransactionalState transaction)
        {
            held.IsBeingSettled = true;
            SettleIn(transaction, deliveryId, held.Token, settled);
            return;
        }

        // Settled without an outcome: the client wants no more of it.
        if (settled && Outcome.ToSettlement(state) is null)
            state = Released.Instance;
        if (Outcome.ToSettlement(state) is not { } settlement)
            return;
        _requests.Add(_queue, new Settle(this, deliveryId, settled, held.Token, settlement, state!));
        held.IsBeingSettled = true;
    }

    public void OnDetached(SenderLink link, AmqpError? error)
    {
        _receiver.Close();
        if (_hold is not null)
            _queue.GiveBack(_hold);
        _onDetached(link);
    }

    private void SettleIn(TransactionalState transaction, uint deliveryId, Guid token, bool settled)
    {
        var answer = Outcome.ToSettlement(transaction.Outcome) is { } settlement
            ? _transactions.Do(
                transaction,
                new SettleStep(_queue, token, settlement),
                _queue.TopLevel,
                Outcome.Answer(transaction.Outcome!, SettleResult.Settled),
                isHeard: !settled)
            : new Rejected(Refusal.NoOutcome);
        // A client that has settled does not hear of a refusal, and wants no more of the message.
        if (settled && answer is Rejected)
            _requests.Add(_queue, new Settle(this, deliveryId, settled, token, Settlement.Release, Released.Instance));
        else
            OnAnswer(deliveryId, settled, answer);
    }

    /// <summary>A message that is handed out now can leave now: one that waits here instead would spend its lock, or be lost.</summary>
    private bool IsReady => _link.CanSend && !HoldsTooMuch && !_session.Connection.IsWriteBacklogged;

    /// <summary>Only the client ends this, by settling what it has: a drain does not wait for it.</summary>
    private bool HoldsTooMuch => _mode == ReceiveMode.PeekLock && _session.Connection.IsUnsettledFull;

    private HandOver Deliver(QueuedMessage message, MessageLock? held)
    {
        var sent = IsReady && TrySend(message, held);
        // The queue may be busy with others for long before it is exhausted.
        if (_link.Credit == 0 || HoldsTooMuch)
            AnswerDrain();
        if (!sent)
            return HandOver.Refused;
        return IsReady ? HandOver.SentWantsMore : HandOver.SentEnough;
    }

    private bool TrySend(QueuedMessage message, MessageLock? held)
    {
        // One message at a time is handed to a link.
        using var head = _head ??= new AmqpWriter();
        var body = OutgoingMessage.WriteHead(head, message, held);
        Span<byte> tag = stackalloc byte[16];
        // Nothing refers to the tag of a message that is gone, but SDKs expect something that looks like a lock token.
        (held?.Token ?? MessageLock.TokenFor(message.SequenceNumber, 0)).TryWriteBytes(tag);
        var sent = _link.TrySend(tag, head.WrittenSpan, body.Span, messageFormat: 0, settled: held is null, context: held, out _);
        if (sent && held is not null)
            _maxUnsettled = Math.Max(_maxUnsettled, Interlocked.Increment(ref _unsettled));
        return sent;
    }

    /// <summary>What was ready has been sent, as far as the credit goes.</summary>
    private void AnswerDrain()
    {
        if (_link.IsDraining)
            _link.CompleteDrain();
    }

    private void OnAnswer(uint deliveryId, bool settled, DeliveryState answer)
    {
        if (settled)
            Interlocked.Decrement(ref _unsettled);
        else if (_latency is null)
            Answer(deliveryId, answer);
        else
            AnswerLater(_latency, deliveryId, answer);
    }

    private void AnswerLater(SettlementLatency latency, uint deliveryId, DeliveryState answer) =>
        latency.Answer(() => Answer(deliveryId, answer));

    private void Answer(uint deliveryId, DeliveryState answer)
    {
        // Before the answer: it makes the client grant credit, and the count must not run ahead of that.
        Interlocked.Decrement(ref _unsettled);
        _link.Settle(deliveryId, answer);
    }

    private Attach Reply(Attach attach) => new()
    {
        SndSettleMode = attach.SndSettleMode,
        RcvSettleMode = attach.RcvSettleMode,
        Source = new Source
        {
            Address = attach.Source!.Address,
            Filter = _hold is null ? null : new() { [SessionFilter.Name] = _hold.Session.Id },
        },
        Target = attach.Target ?? new Target(),
        InitialDeliveryCount = 0,
        MaxMessageSize = (ulong)_queue.Options.MaxMessageSize,
        // As the service has it: ticks, where every other time is a timestamp.
        Properties = _hold is null ? null : new() { [SessionFilter.LockedUntil] = _hold.LockedUntil.UtcTicks },
    };

    private sealed class Settle(
        OutgoingLink owner, uint deliveryId, bool settled, Guid token, Settlement settlement, DeliveryState state)
        : SettleRequest(token, settlement)
    {
        public override void Complete() => owner.OnAnswer(deliveryId, settled, Outcome.Answer(state, Result));
    }
}
