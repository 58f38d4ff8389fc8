using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A link on which a client receives from a queue, or from a session of it.</summary>
/// <param name="hold">On the session; null: the queue has none.</param>
internal sealed class OutgoingLink(
    ClientConnection client,
    Queue queue,
    AmqpSession session,
    Attach attach,
    SessionHold? hold
) : ILinkHandler
{
    private readonly ReceiveMode _mode =
        attach.SndSettleMode == SenderSettleMode.Settled ? ReceiveMode.ReceiveAndDelete : ReceiveMode.PeekLock;

    private QueueReceiver _receiver = null!;
    private SenderLink _link = null!;
    private AmqpWriter? _head;
    private int _unsettled;
    private int _maxUnsettled;

    public LinkState Current =>
        new(
            session.Connection.Id,
            _link.Name,
            _link.Credit,
            Math.Max(0, Volatile.Read(ref _unsettled)),
            Volatile.Read(ref _maxUnsettled)
        );

    public SenderLink Accept()
    {
        _receiver = queue.AddReceiver(_mode, Deliver, error => client.OnFailed(_link, error), AnswerDrain, hold);
        _link = session.Accept<SenderLink>(attach, Reply(), this);
        attach.Forget();
        _link.State = this;
        OnFlow(_link); // credit may have come behind the attach already
        return _link;
    }

    /// <summary>The connection has room again.</summary>
    public void OnWriteDrained() => OnFlow(_link);

    public void OnFlow(AmqpLink link)
    {
        // Of a client that waited for a session: its credit may come while another thread still accepts the link.
        _link = (SenderLink)link;
        if (_link.IsDraining)
            _receiver.SignalLast();
        else if (IsReady)
            _receiver.Signal();
    }

    public void OnDisposition(AmqpLink link, uint deliveryId, object? context, DeliveryState? state, bool settled)
    {
        if (context is not MessageLock held)
            return;
        var transaction = state as TransactionalState;
        // Settled without an outcome: the client wants no more of it.
        if (transaction is null && settled && Outcome.ToSettlement(state) is null)
            state = Released.Instance;
        var settlement = Outcome.ToSettlement(state);
        // A client that repeats itself before the answer has said nothing new.
        if ((transaction is null && settlement is null) || !held.TryBeginAnswer())
            return;
        if (transaction is not null)
            SettleIn(transaction, deliveryId, held, settled);
        else
            client.Requests.Add(new Settle(this, queue, deliveryId, settled, held.Token, settlement!, state!));
    }

    public void OnDetached(AmqpLink link, AmqpError? error)
    {
        _receiver.Close();
        if (hold is not null)
            queue.Sessions!.Release(hold);
        client.OnDetached(link);
    }

    private void SettleIn(TransactionalState transaction, uint deliveryId, MessageLock held, bool settled)
    {
        var answer = Outcome.ToSettlement(transaction.Outcome) is { } settlement
            ? client.Transactions.Do(
                transaction,
                new Step(this, queue, deliveryId, held, settlement, transaction.Outcome!),
                queue.TopLevel,
                Outcome.Echo(transaction.Outcome!),
                isHeard: !settled
            )
            : new Rejected(Refusal.NoOutcome);
        if (!settled && answer is not Rejected)
        {
            // Settled with the commit: after a roll-back the client has the message as before.
            AnswerLater(() =>
            {
                held.EndAnswer();
                _link.Settle(deliveryId, answer, settled: false);
            });
        }
        // A client that has settled does not hear of a refusal, and wants no more of the message.
        else if (settled && answer is Rejected)
        {
            client.Requests.Add(
                new Settle(this, queue, deliveryId, settled, held.Token, Settlement.Release, Released.Instance)
            );
        }
        else
        {
            OnAnswer(deliveryId, settled, answer);
        }
    }

    /// <summary>A message that is handed out now can leave now: one that waits here instead would spend its lock, or be lost.</summary>
    private bool IsReady => _link.CanSend && !HoldsTooMuch && !session.Connection.IsWriteBacklogged;

    /// <summary>Ends when the client settles what it has. A drain does not wait for it.</summary>
    private bool HoldsTooMuch => _mode == ReceiveMode.PeekLock && session.Connection.IsUnsettledFull;

    private DeliveryResult Deliver(QueuedMessage message, MessageLock? held)
    {
        var sent = IsReady && TrySend(message, held);
        // The queue may be busy with others for long before it is exhausted.
        if (_link.Credit == 0 || HoldsTooMuch)
            AnswerDrain();
        if (!sent)
            return DeliveryResult.Refused;
        return IsReady ? DeliveryResult.SentWantsMore : DeliveryResult.SentEnough;
    }

    private bool TrySend(QueuedMessage message, MessageLock? held)
    {
        // One message at a time is handed to a link.
        using var head = _head ??= new AmqpWriter();
        var body = OutgoingMessage.WriteHead(head, message, held);
        Span<byte> tag = stackalloc byte[16];
        // Nothing refers to the tag of a message that is gone, but SDKs expect something that looks like a lock token.
        (held?.Token ?? MessageLock.TokenFor(message.SequenceNumber, 0)).TryWriteBytes(tag);
        var sent = _link.TrySend(
            tag,
            head.WrittenSpan,
            body.Span,
            messageFormat: 0,
            settled: held is null,
            context: held,
            out _
        );
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
        else if (client.DelaySettlementResponse is null)
            Answer(deliveryId, answer);
        else
            AnswerLater(deliveryId, answer);
    }

    // A method of its own: the closure would be made for every answer.
    private void AnswerLater(uint deliveryId, DeliveryState answer) => AnswerLater(() => Answer(deliveryId, answer));

    private void AnswerLater(Action answer)
    {
        if (client.DelaySettlementResponse is { } delay)
            delay(answer);
        else
            answer();
    }

    private void Answer(uint deliveryId, DeliveryState answer)
    {
        // Before the answer: it makes the client grant credit, and the count must not run ahead of that.
        Interlocked.Decrement(ref _unsettled);
        _link.Settle(deliveryId, answer);
    }

    private Attach Reply() =>
        new()
        {
            Source = new Source
            {
                Address = attach.Source!.Address,
                Filter = hold is null ? null : new() { [SessionFilter.Name] = hold.Session.Id },
            },
            Target = attach.Target ?? new Target(),
            MaxMessageSize = (ulong)queue.Options.MaxMessageSize,
            // As the service has it: ticks, where every other time is a timestamp.
            Properties = hold is null ? null : new() { [SessionFilter.LockedUntil] = hold.LockedUntil.UtcTicks },
        };

    private sealed class Settle(
        OutgoingLink owner,
        Queue queue,
        uint deliveryId,
        bool settled,
        Guid token,
        Settlement settlement,
        DeliveryState state
    ) : SettleRequest(queue, token, settlement)
    {
        public override void Complete() =>
            owner.OnAnswer(deliveryId, settled, IsRefused ? new Rejected(Refusal.Of(this)) : Outcome.Echo(state));
    }

    /// <summary>A settlement in a transaction.</summary>
    private sealed class Step(
        OutgoingLink owner,
        Queue queue,
        uint deliveryId,
        MessageLock held,
        Settlement settlement,
        DeliveryState state
    ) : SettleRequest(queue, held.Token, settlement)
    {
        public override void Complete()
        {
            if (held.TryBeginAnswer())
                owner.Answer(deliveryId, Outcome.Echo(state));
        }
    }
}
