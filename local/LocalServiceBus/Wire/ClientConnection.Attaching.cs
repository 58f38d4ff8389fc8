using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

// Attaches links to nodes. The methods return the error to reject a link with, or null if they accepted it.
internal sealed partial class ClientConnection
{
    // More than a token or a request to schedule messages needs.
    private const ulong MaxRequestSize = 1024 * 1024;

    public void OnAttach(AmqpSession session, Attach attach)
    {
        var address = attach.Role == LinkRole.Receiver ? attach.Source?.Address : attach.Target?.Address;
        var error =
            attach.Coordinator is not null ? AttachCoordinator(session, attach)
            : address is null ? ClientErrors.NoAddress
            : Attach(new Offer(session, attach, EntityAddress.Parse(address)));
        if (error is null)
            return;
        Log.LinkRejected(_logger, Excerpt.Of(attach.Name), Excerpt.Of(address ?? ""), error.Description);
        session.RefuseLink(attach, error);
    }

    private AmqpError? Attach(Offer offer)
    {
        var (session, _, address) = offer;
        if (address.Kind == NodeKind.Claims)
        {
            AttachNode(offer, "$cbs", HandleClaims, MaxRequestSize);
            return null;
        }
        if (address.IsTooLong)
            return ClientErrors.AddressTooLong;
        // Check access first, so that unauthorized clients can't find out whether an entity exists.
        if (_access.Check(address.AccessPath, offer.Right) is { } unauthorized)
            return unauthorized;
        var (source, target) = (address.FindSource(_entities), address.FindTarget(_entities));
        if ((source ?? target) is not { } queue)
            return ClientErrors.NotFound(address.Path);
        if (queue.Failure is not null)
            return ClientErrors.Failed(queue.Name);
        var group = session.State as TransactionGroup;
        if (group?.Admits(queue.TopLevel, onlySends: offer.Right == AccessRights.Send) == false)
            return ClientErrors.OtherTopLevel(group.TopLevel!);
        var error =
            address.Kind == NodeKind.Management ? AttachManagement(offer, queue)
            : offer.ClientReceives ? AttachReceiver(offer, source)
            : AttachSender(offer, target);
        if (error is null)
            group?.Add(queue.TopLevel);
        return error;
    }

    private AmqpError? AttachCoordinator(AmqpSession session, Attach attach)
    {
        if (CoordinatorLink.Validate(attach) is { } error)
            return error;
        session.State ??= new TransactionGroup();
        Transactions ??= new ClientTransactions(
            _entities,
            _options.MaxTransactions,
            Connection.TryKeep,
            Connection.GiveBack,
            Requests.Do
        );
        new CoordinatorLink(this, Transactions, _entities.Journal).Accept(session, attach);
        return null;
    }

    private AmqpError? AttachManagement(Offer offer, Queue queue)
    {
        var subscription = offer.Address.IsDeadLetter ? null : _entities.Find(offer.Address.Path)?.Subscription;
        var node = new ManagementNode(queue, DelaySettlementResponse, subscription, Connection, () => Transactions);
        var maxSize = MaxRequestSize + (ulong)queue.Options.MaxMessageSize;
        Register(AttachNode(offer, $"{queue.Name}/$management", Handle, maxSize), offer, queue);
        return null;

        void Handle(AmqpMessage request, TransactionalState? transaction, Action<AmqpMessage> respond)
        {
            // The request can depend on operations that arrived before it.
            Requests.Do();
            if (_access.Check(offer.Address.AccessPath, ManagementNode.RightFor(request)) is { } unauthorized)
                respond(ManagementReply.Failed(unauthorized));
            else
                node.Handle(request, respond, transaction);
        }
    }

    private AmqpLink AttachNode(
        Offer offer,
        string node,
        Action<AmqpMessage, TransactionalState?, Action<AmqpMessage>> handle,
        ulong maxSize
    ) =>
        offer.ClientReceives
            ? _replies.Accept(node, offer.Session, offer.Attach, OnDetached)
            : new RequestLink(node, _replies, handle, maxSize, OnDetached).Accept(offer.Session, offer.Attach);

    /// <summary>Tokens apply independently of transactions.</summary>
    private void HandleClaims(AmqpMessage request, TransactionalState? transaction, Action<AmqpMessage> respond) =>
        respond(ClaimsNode.Handle(request, _entities, _access));

    private AmqpError? AttachReceiver(Offer offer, Queue? queue)
    {
        if (queue is null)
            return ClientErrors.ReceiveFromTopic(offer.Address.Path);
        if (queue.IsClosed)
            return ClientErrors.ToReceive(queue);
        if (offer.Attach.Source!.DistributionMode is { Value: "copy" })
            return ClientErrors.NoBrowsing;
        try
        {
            if (SessionFilter.Of(offer.Attach) is { } wanted)
                return AttachToSession(offer, queue, wanted);
        }
        catch (AmqpException error)
        {
            return error.Error;
        }
        if (queue.Options.RequiresSession)
            return ClientErrors.NeedsSession(queue.Name);
        Register(new OutgoingLink(this, queue, offer.Session, offer.Attach, hold: null).Accept(), offer, queue);
        return null;
    }

    private AmqpError? AttachToSession(Offer offer, Queue queue, SessionFilter wanted)
    {
        if (!queue.Options.RequiresSession)
            return ClientErrors.HasNoSessions(queue.Name);
        // A client can't have more links than this waiting.
        if (_waiting.Count >= _options.Connection.MaxLinks)
            ForgetWaiting(waiting => waiting.IsGone);
        SessionAttach request = null!;
        request = new SessionAttach(this, wanted, offer.Session, offer.Attach, queue, Accept);
        _waiting[request] = queue;
        queue.Sessions!.Accept(request);
        return null;

        AmqpLink Accept(SessionHold hold)
        {
            _waiting.TryRemove(request, out _);
            var link = new OutgoingLink(this, queue, offer.Session, offer.Attach, hold).Accept();
            Register(link, offer, queue);
            // The link was detached while it was attached, so no further event follows.
            if (link.IsClosed)
                OnDetached(link);
            return link;
        }
    }

    private AmqpError? AttachSender(Offer offer, Queue? queue)
    {
        if (queue is null)
        {
            return offer.Address.IsDeadLetter
                ? ClientErrors.SendToDeadLetterQueue
                : ClientErrors.SendToSubscription(offer.Address.Path);
        }

        return TransferDestination.Of(offer.Attach) is { } destination
            ? AttachTransfer(offer with { Address = EntityAddress.Parse(destination) }, via: queue.TopLevel)
            : AttachSender(offer, queue, (offer.Session.State as TransactionGroup)?.TopLevel);
    }

    /// <summary>Attaches a link that sends to one entity through another. Both require the permission to
    /// send.</summary>
    private AmqpError? AttachTransfer(Offer offer, string via)
    {
        var destination = offer.Address;
        if (destination.Kind != NodeKind.Entity || destination.IsTooLong)
            return ClientErrors.NoDestination;
        if (_access.Check(destination.AccessPath, AccessRights.Send) is { } unauthorized)
            return unauthorized;
        if (destination.FindTarget(_entities) is not { } queue)
            return ClientErrors.NotFound(destination.Path);
        return queue.Failure is not null ? ClientErrors.Failed(queue.Name) : AttachSender(offer, queue, via);
    }

    private AmqpError? AttachSender(Offer offer, Queue queue, string? via)
    {
        if (queue.IsSendDisabled)
            return ClientErrors.Disabled(queue.Name);
        Register(new IncomingLink(this, queue, via).Accept(offer.Session, offer.Attach), offer, queue);
        return null;
    }

    private void Register(AmqpLink link, Offer offer, Queue queue)
    {
        _links[link] = queue;
        _access.Guard(link, offer.Address.AccessPath, offer.Right);
        // The queue may have been deleted or closed before the link was registered.
        EndIfClosed(link, queue);
    }

    private readonly record struct Offer(AmqpSession Session, Attach Attach, EntityAddress Address)
    {
        public bool ClientReceives => Attach.Role == LinkRole.Receiver;

        public AccessRights Right =>
            Address.Kind == NodeKind.Management ? AccessRights.Listen | AccessRights.Send
            : ClientReceives ? AccessRights.Listen
            : AccessRights.Send;
    }
}
