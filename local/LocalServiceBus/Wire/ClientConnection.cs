using System.Collections.Concurrent;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Entities;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A client's connection: attaches its links to the nodes that they address.</summary>
internal sealed partial class ClientConnection : IConnectionListener, IDisposable
{
    private readonly ServiceBusNamespace _entities;
    private readonly ILogger _logger;
    private readonly ReplyLinks _replies;
    private readonly ConnectionAccess _access;
    private readonly ConcurrentDictionary<AmqpLink, Queue> _links = [];
    private readonly ConcurrentDictionary<SessionAttach, Queue> _waiting = new(concurrencyLevel: 1, capacity: 1);
    private readonly AmqpFrontEndOptions _options;

    public ClientConnection(
        AmqpConnection connection,
        ServiceBusNamespace entities,
        Action<Action>? delaySettlementResponse,
        AmqpFrontEndOptions options,
        AccessRules rules,
        Grant? login,
        ILogger logger
    )
    {
        Connection = connection;
        _entities = entities;
        DelaySettlementResponse = delaySettlementResponse;
        _logger = logger;
        _options = options;
        Requests = new ReadRequests(this);
        _replies = new ReplyLinks(options.MaxWaitingReplyBytes, link => link.Detach(ClientErrors.TooManyReplies));
        _access = new ConnectionAccess(
            rules,
            login,
            entities.Defects,
            link => link.Detach(ClientErrors.TokenExpired),
            () => connection.BeginClose(ClientErrors.NoToken)
        );
        _access.Start();
    }

    public AmqpConnection Connection { get; }

    /// <inheritdoc cref="AmqpFrontEndOptions.DelaySettlementResponse"/>
    public Action<Action>? DelaySettlementResponse { get; }

    public ReadRequests Requests { get; }

    /// <summary>The client's transactions; <c>null</c> until the client attaches to the coordinator.</summary>
    public ClientTransactions? Transactions { get; private set; }

    public IEnumerable<(Queue Queue, LinkState State)> Links =>
        _links
            .Where(entry => entry.Key.State is OutgoingLink)
            .Select(entry => (entry.Value, ((OutgoingLink)entry.Key.State!).Current));

    /// <summary>Closes the links to a queue, and to its dead-letter queues, that was deleted, has failed, or is closed
    /// to receivers.</summary>
    public void EndLinks(Queue queue)
    {
        var parts = queue.Parts;
        foreach (var (link, of) in _links)
        {
            if (parts.Contains(of))
                EndIfClosed(link, of);
        }
    }

    public void OnGathered() => Requests.Do();

    public void OnSessionEnded(AmqpSession session) => ForgetWaiting(waiting => waiting.Session == session);

    public void OnClosed(AmqpConnection connection, AmqpError? error)
    {
        ForgetWaiting(_ => true);
        Dispose();
    }

    public void Dispose()
    {
        Transactions?.Dispose();
        _access.Dispose();
    }

    public void Reject(SessionAttach waiting, AmqpError why)
    {
        _waiting.TryRemove(waiting, out _);
        Log.LinkRejected(_logger, waiting.Attach.Name, waiting.Queue.Name, why.Description);
        waiting.Session.RefuseLink(waiting.Attach, why);
    }

    /// <summary>Responds to the client, on any thread. If that fails, aborts the connection; otherwise, the client
    /// would wait indefinitely.</summary>
    public bool TryRespond<T>(T state, Action<T> respond)
    {
        try
        {
            respond(state);
            return true;
        }
        catch (Exception error)
        {
            // A response that exceeds the client's frame size isn't an internal error.
            if (error is AmqpException)
                Log.ResponseFailed(_logger, error, Connection.Id);
            else
                _entities.Defects.Report($"responding to the client of connection {Connection.Id}", error);
            Connection.Abort();
            return false;
        }
    }

    private void ForgetWaiting(Func<SessionAttach, bool> isOver)
    {
        foreach (var (waiting, queue) in _waiting)
        {
            if (isOver(waiting) && _waiting.TryRemove(waiting, out _))
                queue.Sessions!.Forget(waiting);
        }
    }

    private static void EndIfClosed(AmqpLink link, Queue queue)
    {
        var why =
            queue.IsDeleted ? ClientErrors.NotFound(queue.Name)
            : queue.Failure is not null ? ClientErrors.Failed(queue.Name)
            : queue.IsClosed && link.State is OutgoingLink ? ClientErrors.ToReceive(queue)
            : null;
        if (why is not null)
            link.Detach(why);
    }

    /// <summary>Detaches a link after a failure. The client can attach again; the cause is logged.</summary>
    public void OnFailed(AmqpLink link, Exception error)
    {
        Log.DeliveryFailed(_logger, error, link.Name);
        link.Detach(new AmqpError(ErrorConditions.InternalError, error.Message));
    }

    public void OnDetached(AmqpLink link)
    {
        _links.TryRemove(link, out _);
        _access.Release(link);
    }

    public void OnWriteDrained()
    {
        _replies.OnWriteDrained();
        foreach (var link in _links.Keys)
            (link.State as OutgoingLink)?.OnWriteDrained();
    }

    private static partial class Log
    {
        [LoggerMessage(LogLevel.Information, "Rejected link {Link} to {Address}: {Reason}")]
        public static partial void LinkRejected(ILogger logger, string link, string address, string? reason);

        [LoggerMessage(LogLevel.Error, "Responding to the client failed; closed connection {Connection}")]
        public static partial void ResponseFailed(ILogger logger, Exception error, string connection);

        [LoggerMessage(LogLevel.Error, "Sending a message failed; detached link {Link}")]
        public static partial void DeliveryFailed(ILogger logger, Exception error, string link);
    }
}
