using DroneDelivery.Amqp;

namespace DroneDelivery.Testing.Amqp;

/// <summary>
/// The operations of a client on a connection of <see cref="AmqpDialer"/>: sessions, links, and waiting for responses.
/// </summary>
public static class ClientCalls
{
    public static async Task<AmqpSession> BeginSessionAsync(
        this AmqpConnection connection,
        SessionOptions? options,
        CancellationToken cancellationToken
    )
    {
        AmqpSession session;
        lock (connection.Gate)
        {
            if (connection.IsClosing)
                throw new AmqpException(AmqpConnection.Gone);
            session = connection.Sessions.Add(connection, options ?? new SessionOptions());
            session.State = new ClientSession();
            session.WriteBegin(remoteChannel: null);
        }
        try
        {
            await session.Begun.WaitAsync(cancellationToken);
            return session;
        }
        catch (OperationCanceledException)
        {
            session.BeginEnd(error: null);
            throw;
        }
    }

    /// <summary>Sends end and waits for the peer's. Closes all links of the session immediately.</summary>
    public static Task EndAsync(this AmqpSession session, CancellationToken cancellationToken)
    {
        session.BeginEnd(error: null);
        return ((ClientSession)session.State!).Ended.Task.WaitAsync(cancellationToken);
    }

    public static async Task<SenderLink> AttachSenderAsync(
        this AmqpSession session,
        Attach attach,
        ILinkHandler handler,
        CancellationToken cancellationToken
    )
    {
        var link = new SenderLink(session, attach.Name);
        await AttachAsync(link, attach, handler, cancellationToken);
        return link;
    }

    /// <summary>Attaches a link on which this end receives, without credit.</summary>
    public static async Task<ReceiverLink> AttachReceiverAsync(
        this AmqpSession session,
        Attach attach,
        ILinkHandler handler,
        CancellationToken cancellationToken
    )
    {
        var link = new ReceiverLink(session, attach.Name);
        await AttachAsync(link, attach, handler, cancellationToken);
        return link;
    }

    /// <summary>
    /// Waits for credit, sends, and waits for the outcome (immediately Accepted if <paramref name="settled"/>).
    /// </summary>
    public static Task<DeliveryState> SendAsync(
        this SenderLink link,
        ReadOnlyMemory<byte> message,
        uint messageFormat,
        bool settled,
        CancellationToken cancellationToken
    )
    {
        lock (link.Session.Connection.Gate)
        {
            if (link.IsClosed)
                return Task.FromException<DeliveryState>(Gone(link));
            if (link.Handler is not AnsweredSends sends)
                link.Handler = sends = new AnsweredSends(link, link.Handler!);
            return sends.SendAsync(message, messageFormat, settled, cancellationToken);
        }
    }

    /// <summary>
    /// Sends an unsettled disposition and completes with the state with which the sender settles (AMQP 1.0 §2.6.12,
    /// receiver settles second). Adjacent dispositions are merged as in <see cref="AmqpLink.Settle"/>. If an earlier
    /// call waits for the same delivery, nothing is sent and both get its outcome.
    /// </summary>
    public static Task<DeliveryState?> SettleAsync(
        this ReceiverLink link,
        uint deliveryId,
        DeliveryState state,
        CancellationToken cancellationToken
    )
    {
        lock (link.Session.Connection.Gate)
        {
            if (link.IsClosed)
                throw Gone(link);
            if (!link.Session.Incoming.Has(deliveryId, link))
                throw new InvalidOperationException($"Delivery {deliveryId} is not unsettled on link '{link.Name}'.");
            if (link.Handler is not AnsweredSettlements settlements)
                link.Handler = settlements = new AnsweredSettlements(link, link.Handler!);
            return settlements.SettleAsync(deliveryId, state).WaitAsync(cancellationToken);
        }
    }

    public static Task DetachAsync(
        this AmqpLink link,
        AmqpError? error = null,
        CancellationToken cancellationToken = default
    )
    {
        lock (link.Session.Connection.Gate)
        {
            if (link.IsClosed)
                return Task.CompletedTask;
            var detaching = new Detaching(link.Handler!);
            link.Handler = detaching;
            link.Detach(error);
            return detaching.Task.WaitAsync(cancellationToken);
        }
    }

    private static async Task AttachAsync(
        AmqpLink link,
        Attach attach,
        ILinkHandler handler,
        CancellationToken cancellationToken
    )
    {
        var (session, gate) = (link.Session, link.Session.Connection.Gate);
        Task attached;
        lock (gate)
        {
            if (session.IsEnded)
                throw new AmqpException(AmqpConnection.Gone);
            attached = ((ClientSession)session.State!).AttachAsync(link, handler);
            session.WriteAttach(link, attach);
            link.OnAttachSent(attach);
        }
        try
        {
            await attached.WaitAsync(cancellationToken);
        }
        catch (OperationCanceledException)
        {
            link.Detach(error: null);
            throw;
        }
    }

    private static AmqpException Gone(AmqpLink link) =>
        new(ErrorConditions.DetachForced, $"The link '{link.Name}' is gone.");

    private sealed class Detaching(ILinkHandler owner)
        : TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously),
            ILinkHandler
    {
        public void OnDisposition(
            AmqpLink link,
            uint deliveryId,
            object? context,
            DeliveryState? state,
            bool settled
        ) => owner.OnDisposition(link, deliveryId, context, state, settled);

        public void OnDetached(AmqpLink link, AmqpError? error)
        {
            owner.OnDetached(link, error);
            SetResult();
        }
    }
}
