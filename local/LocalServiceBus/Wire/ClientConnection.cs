using System.Collections.Concurrent;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Entities;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>One client: decides what each link that it attaches leads to.</summary>
internal sealed partial class ClientConnection : IConnectionListener, IDisposable
{
    // Then those that gave up meanwhile are forgotten. A connection has no more links than this that still wait.
    private const int MostWaitingForSessions = 1024;

    // A token is far smaller, and so is what surrounds the messages of a request to schedule some.
    private const ulong LargestRequest = 1024 * 1024;

    private readonly AmqpConnection _connection;
    private readonly ServiceBusNamespace _entities;
    private readonly SettlementLatency? _latency;
    private readonly ILogger _logger;
    private readonly ReplyLinks _replies;
    private readonly ReadRequests _requests;
    private readonly ConnectionAccess _access;
    private readonly ClientTransactions _transactions;
    private readonly ConcurrentDictionary<AmqpLink, Queue> _links = [];
    private readonly ConcurrentDictionary<SessionAttach, Queue> _waiting = new(concurrencyLevel: 1, capacity: 1);
    private readonly Action<AmqpLink> _onDetached;
    private readonly Action<AmqpLink, Exception> _onFailed;
    private readonly List<Task> _ending = [];

    public ClientConnection(
        AmqpConnection connection,
        ServiceBusNamespace entities,
        SettlementLatency? latency,
        AmqpFrontEndOptions options,
        AccessRules rules,
        Grant? login,
        ILogger logger)
    {
        _connection = connection;
        _entities = entities;
        _latency = latency;
        _logger = logger;
        (_onDetached, _onFailed) = (OnDetached, OnFailed);
        _requests = new ReadRequests(connection);
        _transactions = new ClientTransactions(connection, entities, _requests, options.MaxTransactions);
        _replies = new ReplyLinks(options.MaxWaitingReplyBytes, link => Detach([link], Refusal.RepliesNotTaken));
        _access = new ConnectionAccess(
            rules, login, entities.Defects, links => Detach(links, Refusal.TokenExpired), EndWithoutToken);
        connection.WriteDrained += OnWriteDrained;
        _access.Start();
    }

    public string Id => _connection.Id;

    /// <summary>Bytes that the client has not read, as far as this process knows.</summary>
    public int UnsentBytes => _connection.UnsentBytes;

    /// <summary>Completes when the client has answered every detach, or is gone.</summary>
    public Task Detached
    {
        get
        {
            lock (_links)
                return Task.WhenAll(_ending);
        }
    }

    public IEnumerable<LinkState> LinksOf(Queue queue) =>
        _links.Where(entry => entry.Value == queue).Select(entry => entry.Key.State).OfType<OutgoingLink>().Select(link => link.Current);

    /// <summary>The client's receiving links.</summary>
    public IEnumerable<(Queue Queue, LinkState State)> Links =>
        _links.Where(entry => entry.Key.State is OutgoingLink).Select(entry => (entry.Value, ((OutgoingLink)entry.Key.State!).Current));

    public void Abort() => _connection.Abort();

    public Task CloseAsync(CancellationToken cancellationToken) =>
        _connection.CloseAsync(new AmqpError(ErrorConditions.ConnectionForced, "The broker is stopping."), cancellationToken);

    /// <summary>Ends the links to a queue that was deleted or has failed, and to its dead-letter queue.</summary>
    public void Detach(Queue queue, AmqpError why)
    {
        Queue?[] parts = [queue, queue.DeadLetterQueue, queue.TransferDeadLettersSoFar];
        Detach(_links.Where(entry => parts.Contains(entry.Value)).Select(entry => entry.Key), why);
    }

    /// <summary>The same of those links alone on which the client receives.</summary>
    public void DetachReceivers(Queue queue, AmqpError why) =>
        Detach(_links.Where(entry => entry.Value == queue && entry.Key.State is OutgoingLink).Select(entry => entry.Key), why);

    public void OnAttach(AmqpSession session, Attach attach)
    {
        var clientReceives = attach.Role == LinkRole.Receiver;
        var address = clientReceives ? attach.Source?.Address : attach.Target?.Address;
        var refusal = attach.Coordinator is not null ? _transactions.Attach(session, attach)
            : address is null ? Refusal.NoAddress
            : Attach(session, attach, EntityAddress.Parse(address), clientReceives);
        if (refusal is null)
            return;
        Log.Refused(_logger, Excerpt.Of(attach.Name), Excerpt.Of(address ?? ""), refusal.Description);
        session.RefuseLink(attach, refusal);
    }

    public void OnGathered() => _requests.Do();

    // Its links were detached one by one before this call.
    public void OnSessionEnded(AmqpSession session) => ForgetWaiting(waiting => waiting.Session == session);

    public void OnClosed(AmqpConnection connection, AmqpError? error)
    {
        connection.WriteDrained -= OnWriteDrained;
        ForgetWaiting(_ => true);
        Dispose();
    }

    public void Dispose()
    {
        _transactions.Dispose();
        _access.Dispose();
    }

    /// <returns>Why the link was not accepted; null when it was.</returns>
    private AmqpError? Attach(AmqpSession session, Attach attach, EntityAddress address, bool clientReceives)
    {
        if (address.Kind == NodeKind.Claims)
        {
            AttachNode(session, attach, "$cbs", clientReceives, AnswerClaims, LargestRequest);
            return null;
        }
        if (address.IsTooLong)
            return Refusal.AddressTooLong;
        // Before anything else: who may not use an entity does not learn whether there is one.
        var right = RightFor(address, clientReceives);
        if (_access.Refuse(AccessPath.Of(address), right) is { } unauthorized)
            return unauthorized;
        var (source, target) = (address.FindSource(_entities), address.FindTarget(_entities));
        if ((source ?? target) is not { } queue)
            return Refusal.NotFound(address.Path);
        if (queue.Failure is not null)
            return Refusal.Failed(queue.Name);
        var group = session.State as TransactionGroup;
        if (group?.Admits(queue.TopLevel, onlySends: !clientReceives && address.Kind == NodeKind.Entity) == false)
            return Refusal.OtherTopLevel(group.TopLevel!);
        var refusal = address.Kind == NodeKind.Management ? AttachManagement(session, attach, address, queue, clientReceives)
            : clientReceives ? AttachReceiver(session, attach, address, source)
            : AttachSender(session, attach, address, target);
        if (refusal is null)
            group?.Add(queue.TopLevel);
        return refusal;
    }

    private static AccessRights RightFor(EntityAddress address, bool clientReceives) =>
        address.Kind == NodeKind.Management ? AccessRights.Listen | AccessRights.Send
        : clientReceives ? AccessRights.Listen
        : AccessRights.Send;

    private AmqpError? AttachManagement(AmqpSession session, Attach attach, EntityAddress address, Queue queue, bool clientReceives)
    {
        var subscription = address.IsDeadLetter ? null : _entities.FindSubscription(address.Path);
        var node = new ManagementNode(queue, _latency, subscription, _connection, _transactions);
        var maxSize = LargestRequest + (ulong)queue.Options.MaxMessageSize;
        Register(AttachNode(session, attach, $"{queue.Name}/$management", clientReceives, Handle, maxSize), address, clientReceives, queue);
        return null;

        void Handle(AmqpMessage request, TransactionalState? transaction, Action<AmqpMessage> answer)
        {
            // It may be about what came ahead of it.
            _requests.Do();
            var operation = request.ApplicationProperties?.GetValueOrDefault("operation") as string;
            if (_access.Refuse(AccessPath.Of(address), ManagementRights.Of(operation)) is { } unauthorized)
                answer(ManagementReply.Failed(401, unauthorized));
            else
                node.Handle(request, answer, transaction);
        }
    }

    private AmqpLink AttachNode(
        AmqpSession session,
        Attach attach,
        string node,
        bool clientReceives,
        Action<AmqpMessage, TransactionalState?, Action<AmqpMessage>> handle,
        ulong maxSize) =>
        clientReceives
            ? _replies.Accept(node, session, attach, OnDetached)
            : new RequestLink(node, _replies, handle, maxSize, OnDetached).Accept(session, attach);

    private AmqpError? AttachReceiver(AmqpSession session, Attach attach, EntityAddress address, Queue? queue)
    {
        if (queue is null)
            return Refusal.ReceiveFromTopic(address.Path);
        if (queue.Options.Status is EntityStatus.Disabled or EntityStatus.ReceiveDisabled)
            return Refusal.Disabled(queue.Name);
        if (queue.IsForwarding)
            return Refusal.ReceiveWhereItForwards(queue);
        if (SessionFilter.IsNonExclusive(attach))
            return Refusal.NonExclusiveSessions;
        try
        {
            if (SessionFilter.Of(attach) is { } wanted)
                return AttachToSession(session, attach, address, queue, wanted);
        }
        catch (AmqpException error)
        {
            return error.Error;
        }
        if (queue.Options.RequiresSession)
            return Refusal.NeedsSession(queue.Name);
        var link = new OutgoingLink(queue, _requests, _transactions, session, attach, _latency, _onDetached, _onFailed).Accept(attach);
        Register(link, address, clientReceives: true, queue);
        // Since it was asked above.
        if (queue.IsForwarding)
            Detach([link], Refusal.ReceiveWhereItForwards(queue));
        return null;
    }

    private AmqpError? AttachToSession(AmqpSession session, Attach attach, EntityAddress address, Queue queue, SessionFilter wanted)
    {
        if (!queue.Options.RequiresSession)
            return Refusal.HasNoSessions(queue.Name);
        if (_waiting.Count >= MostWaitingForSessions)
            ForgetWaiting(waiting => waiting.IsGone);
        SessionAttach request = null!;
        request = new SessionAttach(wanted, session, attach, queue, Accept, Refuse, (link, why) => Detach([link], why), OnAnswerFailed);
        _waiting[request] = queue;
        queue.AcceptSession(request);
        return null;

        AmqpLink Accept(SessionHold hold)
        {
            _waiting.TryRemove(request, out _);
            var link = new OutgoingLink(queue, _requests, _transactions, session, attach, _latency, _onDetached, _onFailed, hold)
                .Accept(attach);
            Register(link, address, clientReceives: true, queue);
            // Gone since it attached, and nobody will say so again.
            if (link.IsClosed)
                OnDetached(link);
            return link;
        }
    }

    private void Refuse(SessionAttach waiting, AmqpError why)
    {
        _waiting.TryRemove(waiting, out _);
        Log.Refused(_logger, waiting.Attach.Name, waiting.Queue.Name, why.Description);
        waiting.Session.RefuseLink(waiting.Attach, why);
    }

    private void OnAnswerFailed(SessionAttach waiting, Exception error)
    {
        Log.AnswerFailed(_logger, error, waiting.Attach.Name);
        // It would wait for ever.
        Abort();
    }

    private void ForgetWaiting(Func<SessionAttach, bool> isOver)
    {
        foreach (var (waiting, queue) in _waiting)
        {
            if (isOver(waiting) && _waiting.TryRemove(waiting, out _))
                queue.Forget(waiting);
        }
    }

    private AmqpError? AttachSender(AmqpSession session, Attach attach, EntityAddress address, Queue? queue)
    {
        if (queue is null)
            return address.IsDeadLetter ? Refusal.SendToDeadLetterQueue : Refusal.SendToSubscription(address.Path);
        if (TransferDestination.Of(attach) is { } destination)
            return AttachTransfer(session, attach, EntityAddress.Parse(destination), via: queue.TopLevel);
        return AttachSender(session, attach, address, queue, (session.State as TransactionGroup)?.TopLevel);
    }

    /// <summary>The client sends through one queue or topic to another: to begin with, it has to be allowed both.</summary>
    private AmqpError? AttachTransfer(AmqpSession session, Attach attach, EntityAddress destination, string via)
    {
        if (destination.Kind != NodeKind.Entity || destination.IsTooLong)
            return Refusal.NoDestination;
        if (_access.Refuse(AccessPath.Of(destination), AccessRights.Send) is { } unauthorized)
            return unauthorized;
        if (destination.FindTarget(_entities) is not { } queue)
            return Refusal.NotFound(destination.Path);
        return queue.Failure is not null ? Refusal.Failed(queue.Name) : AttachSender(session, attach, destination, queue, via);
    }

    private AmqpError? AttachSender(AmqpSession session, Attach attach, EntityAddress address, Queue queue, string? via)
    {
        if (queue.Options.Status is EntityStatus.Disabled or EntityStatus.SendDisabled)
            return Refusal.Disabled(queue.Name);
        var link = new IncomingLink(queue, _requests, _transactions, via, _onDetached).Accept(session, attach);
        Register(link, address, clientReceives: false, queue);
        return null;
    }

    /// <summary>The link ends with its queue, and with the token that allows it.</summary>
    private void Register(AmqpLink link, EntityAddress address, bool clientReceives, Queue queue)
    {
        _links[link] = queue;
        _access.Guard(link, AccessPath.Of(address), RightFor(address, clientReceives));
        // Who deleted the queue since it was found may have looked for its links too early for this one.
        if (queue.IsDeleted)
            Detach([link], Refusal.NotFound(queue.Name));
        else if (queue.Failure is not null)
            Detach([link], Refusal.Failed(queue.Name));
    }

    /// <summary>A token is put whatever becomes of a transaction.</summary>
    private void AnswerClaims(AmqpMessage request, TransactionalState? transaction, Action<AmqpMessage> answer) =>
        answer(ClaimsNode.Answer(request, _entities, _access));

    private void Detach(IEnumerable<AmqpLink> ending, AmqpError error) => Await(ending.Select(link => link.DetachAsync(error)));

    private void EndWithoutToken() => Await([_connection.CloseAsync(Refusal.NoToken)]);

    /// <summary>What the client has answered is forgotten: it may leave one unanswered for as long as it likes.</summary>
    private void Await(IEnumerable<Task> ending)
    {
        lock (_links)
        {
            _ending.RemoveAll(task => task.IsCompletedSuccessfully);
            _ending.AddRange(ending);
        }
    }

    /// <summary>The client hears of it and attaches again; who runs the broker finds the cause in the log.</summary>
    private void OnFailed(AmqpLink link, Exception error)
    {
        Log.DeliveryFailed(_logger, error, link.Name);
        Detach([link], new AmqpError(ErrorConditions.InternalError, error.Message));
    }

    private void OnDetached(AmqpLink link)
    {
        _links.TryRemove(link, out _);
        _access.Release(link);
    }

    private void OnWriteDrained()
    {
        _replies.OnWriteDrained();
        foreach (var link in _links.Keys)
            (link.State as OutgoingLink)?.OnWriteDrained();
    }

    private static partial class Log
    {
        [LoggerMessage(LogLevel.Information, "Refused link {Link} to {Address}: {Reason}")]
        public static partial void Refused(ILogger logger, string link, string address, string? reason);

        [LoggerMessage(LogLevel.Error, "The link {Link} waits for a session and cannot be answered; its connection ends")]
        public static partial void AnswerFailed(ILogger logger, Exception error, string link);

        [LoggerMessage(LogLevel.Error, "A message could not be sent on link {Link}; the link ends")]
        public static partial void DeliveryFailed(ILogger logger, Exception error, string link);
    }
}
