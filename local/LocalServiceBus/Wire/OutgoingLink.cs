using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <param name="hold">The hold on the session; <c>null</c> for queues without sessions.</param>
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
        _receiver = queue.AddReceiver(_mode, Deliver, error => client.OnFailed(_link, error), CompleteDrain, hold);
        _link = session.Accept<SenderLink>(attach, Reply(), this);
        attach.Forget();
        _link.State = this;
        OnFlow(_link); // Credit may already have arrived after the attach.
        return _link;
    }

    public void OnWriteDrained() => OnFlow(_link);

    public void OnFlow(AmqpLink link)
    {
        // If the client waited for a session, its credit can arrive while another thread is still accepting the link.
        _link = (SenderLink)link;
        if (_link.IsDraining)
            _receiver.SignalDrain();
        else if (IsReady)
            _receiver.Signal();
    }

    public void OnDisposition(AmqpLink link, uint deliveryId, object? context, DeliveryState? state, bool settled)
    {
        if (context is not MessageLock held)
            return;
        var transaction = state as TransactionalState;
        // Settling without an outcome releases the message.
        if (transaction is null && settled && Outcome.ToSettlement(state) is null)
            state = Released.Instance;
        var settlement = Outcome.ToSettlement(state);
        // Ignore repeated dispositions before the response.
        if ((transaction is null && settlement is null) || !held.TryBeginResponse())
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
        var response = AddToTransaction(transaction, deliveryId, held, settled);
        if (!settled && response is not Rejected)
        {
            // The commit settles the message. After a rollback, the client still holds it.
            RespondLater(() =>
            {
                held.EndResponse();
                _link.Settle(deliveryId, response, settled: false);
            });
        }
        // The client has settled and ignores the rejection, so release the message.
        else if (settled && response is Rejected)
        {
            client.Requests.Add(
                new Settle(this, queue, deliveryId, settled, held.Token, Settlement.Release, Released.Instance)
            );
        }
        else
        {
            OnResponse(deliveryId, settled, response);
        }
    }

    private DeliveryState AddToTransaction(
        TransactionalState transaction,
        uint deliveryId,
        MessageLock held,
        bool settled
    )
    {
        if (Outcome.ToSettlement(transaction.Outcome) is not { } settlement)
            return new Rejected(ClientErrors.NoOutcome);
        if (client.Transactions is not { } transactions)
            return new Rejected(ClientErrors.UnknownTransaction);
        return transactions.Do(
            transaction,
            new Step(this, queue, deliveryId, held, settlement, transaction.Outcome!),
            queue.TopLevel,
            Outcome.Echo(transaction.Outcome!),
            expectsResponse: !settled
        );
    }

    /// <summary><c>true</c> if a message can be sent immediately. Otherwise, its lock would expire while it
    /// waits.</summary>
    private bool IsReady => _link.CanSend && !HoldsTooMuch && !session.Connection.IsWriteBacklogged;

    /// <summary><c>true</c> until the client settles some of its messages. A drain doesn't wait for that.</summary>
    private bool HoldsTooMuch => _mode == ReceiveMode.PeekLock && session.Connection.IsUnsettledFull;

    private DeliveryResult Deliver(QueuedMessage message, MessageLock? held)
    {
        var sent = IsReady && TrySend(message, held);
        // Otherwise, the drain could take a long time.
        if (_link.Credit == 0 || HoldsTooMuch)
            CompleteDrain();
        if (!sent)
            return DeliveryResult.NotSent;
        return IsReady ? DeliveryResult.SentWantsMore : DeliveryResult.SentEnough;
    }

    private bool TrySend(QueuedMessage message, MessageLock? held)
    {
        // Deliveries on one link don't overlap, so the writer can be reused.
        using var head = _head ??= new AmqpWriter();
        var body = OutgoingMessage.WriteHead(head, message, held);
        Span<byte> tag = stackalloc byte[16];
        // SDKs expect a tag that resembles a lock token, even for removed messages.
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

    private void CompleteDrain()
    {
        if (_link.IsDraining)
            _link.CompleteDrain();
    }

    private void OnResponse(uint deliveryId, bool settled, DeliveryState response)
    {
        if (settled)
            Interlocked.Decrement(ref _unsettled);
        else if (client.DelaySettlementResponse is null)
            Respond(deliveryId, response);
        else
            RespondLater(deliveryId, response);
    }

    // Separate, so that immediate responses don't allocate the closure.
    private void RespondLater(uint deliveryId, DeliveryState response) =>
        RespondLater(() => Respond(deliveryId, response));

    private void RespondLater(Action response)
    {
        if (client.DelaySettlementResponse is { } delay)
            delay(response);
        else
            response();
    }

    private void Respond(uint deliveryId, DeliveryState response)
    {
        // Before the response, which lets the client grant credit; otherwise, the count could exceed the credit.
        Interlocked.Decrement(ref _unsettled);
        _link.Settle(deliveryId, response);
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
            // In ticks, like Service Bus, although other times are timestamps.
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
            owner.OnResponse(
                deliveryId,
                settled,
                IsRejected ? new Rejected(ClientErrors.Of(this)) : Outcome.Echo(state)
            );
    }

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
            if (held.TryBeginResponse())
                owner.Respond(deliveryId, Outcome.Echo(state));
        }
    }
}
