using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The <c>$management</c> node of a queue, topic, or subscription. SDKs cast values, so the types in replies
/// are part of the protocol.</summary>
/// <param name="delaySettlementResponse">See <see cref="AmqpFrontEndOptions.DelaySettlementResponse"/>.</param>
/// <param name="transactions">Returns the client's transactions; <c>null</c> if it has none.</param>
internal sealed class ManagementNode(
    Queue queue,
    Action<Action>? delaySettlementResponse,
    Subscription? subscription = null,
    object? connection = null,
    Func<ClientTransactions?>? transactions = null
)
{
    // Like Service Bus, peek can return fewer messages than requested. Clients continue after the last one.
    private const int MaxPeeked = 250,
        MaxPeekedBytes = 1024 * 1024;

    // Deferred messages are requested by number and returned all or not at all.
    private const long MaxDeferredBytes = 4 * 1024 * 1024;

    // The limit of Service Bus.
    private const int MaxDeleted = 4000;

    /// <summary>Returns the claim that a request needs. As in Azure, the rules of a subscription require
    /// Listen.</summary>
    public static AccessRights RightFor(AmqpMessage request) =>
        new ManagementRequest(request).Operation switch
        {
            "schedule-message" or "cancel-scheduled-message" => AccessRights.Send,
            _ => AccessRights.Listen,
        };

    public void Handle(AmqpMessage message, Action<AmqpMessage> respond, TransactionalState? transaction = null)
    {
        var request = new ManagementRequest(message);
        var reply = Reply(request, transaction);
        // Locks, reads, and errors aren't journaled.
        if (IsReadOnly(request) || ManagementReply.IsFailed(reply))
            respond(reply);
        else if (transaction is not null)
            Respond(request, reply, respond);
        else
            queue.WhenStored(() => Respond(request, reply, respond));
    }

    private static bool IsReadOnly(ManagementRequest request) =>
        request.Operation
            is "renew-lock"
                or "renew-session-lock"
                or "peek-message"
                or "get-session-state"
                or "enumerate-rules";

    private void Respond(ManagementRequest request, AmqpMessage reply, Action<AmqpMessage> respond)
    {
        if (delaySettlementResponse is not null && request.Operation == "update-disposition")
            delaySettlementResponse(() => respond(reply));
        else
            respond(reply);
    }

    private AmqpMessage Reply(ManagementRequest request, TransactionalState? transaction)
    {
        try
        {
            if (transaction is not null && transactions?.Invoke()?.IsOpen(transaction.TxnId) != true)
                return ManagementReply.Failed(ClientErrors.UnknownTransaction);
            return request.Operation switch
            {
                "update-disposition" => Settle(request, transaction),
                "schedule-message" => Schedule(request, transaction),
                "cancel-scheduled-message" => Reply(
                    Do(new CancelScheduledRequest(queue, request.GetArray<long>("sequence-numbers")), transaction)
                ),
                "set-session-state" when queue.Options.RequiresSession => SetState(request, transaction),
                // Reads and locks can't be rolled back, so they're allowed.
                var other
                    when transaction is not null
                        && !IsReadOnly(request)
                        && !(other == "receive-by-sequence-number" && ModeOf(request) == ReceiveMode.PeekLock) =>
                    ManagementReply.Failed(ClientErrors.NotInTransaction(other)),
                _ when subscription is not null && RuleNode.Handle(subscription, request, queue.Now) is { } ruleReply =>
                    ruleReply,
                _ when queue.Options.RequiresSession && SessionNode.Handle(queue, request, connection) is { } reply =>
                    reply,
                "peek-message" or "receive-by-sequence-number" when queue.IsForwarding => ManagementReply.Failed(
                    ClientErrors.ReceiveFromForwarding(queue)
                ),
                "renew-lock" => RenewLocks(request),
                "peek-message" => Peek(request),
                "receive-by-sequence-number" => ReceiveDeferred(request),
                "batch-delete-messages" => Delete(request),
                var other => ManagementReply.Failed(
                    new(
                        ErrorConditions.NotImplemented,
                        $"The operation 'com.microsoft:{Excerpt.Of(other)}' is not supported."
                    )
                ),
            };
        }
        catch (AmqpException error)
        {
            return ManagementReply.Failed(error.Error);
        }
        catch (EntityException error)
        {
            return ManagementReply.Failed(ClientErrors.Of(error));
        }
    }

    /// <returns>The error; <c>null</c> on success.</returns>
    private AmqpError? Do(QueueRequest request, TransactionalState? transaction)
    {
        if (transaction is not null)
            return transactions!()!.Join(transaction.TxnId, request, queue.TopLevel);
        queue.Do(request);
        return request.IsRejected ? ClientErrors.Of(request) : null;
    }

    private static AmqpMessage Reply(AmqpError? error) =>
        error is null ? ManagementReply.Ok() : ManagementReply.Failed(error);

    private AmqpMessage RenewLocks(ManagementRequest request)
    {
        var renewed = request.GetArray<Guid>("lock-tokens").Select(queue.RenewLock).ToList();
        return renewed.Contains(null)
            ? ManagementReply.Failed(ClientErrors.Of(QueueResult.LockLost, queue))
            : ManagementReply.Ok("expirations", renewed.Select(until => until!.Value).ToArray());
    }

    /// <summary>Settles messages. In a transaction, stops at the first error.</summary>
    private AmqpMessage Settle(ManagementRequest request, TransactionalState? transaction)
    {
        var settlement = SettlementOf(request);
        var errors = request
            .GetArray<Guid>("lock-tokens")
            .Select(token => Do(new SettleRequest(queue, token, settlement), transaction));
        if (transaction is null)
            errors = errors.ToList();
        var error = errors.FirstOrDefault(one => one is not null);
        // SDKs abandon the session on this error, so return it only if the session lock has expired.
        var isSessionHeld =
            error == ClientErrors.SessionLockLost
            && SessionOf(request) is { } session
            && queue.Sessions!.IsHeld(session, SessionNode.RequesterOf(request, connection));
        return Reply(isSessionHeld ? ClientErrors.Of(QueueResult.LockLost, queue) : error);
    }

    private AmqpMessage SetState(ManagementRequest request, TransactionalState? transaction)
    {
        var state = request.GetOrDefault<byte[]>("session-state");
        var by = SessionNode.RequesterOf(request, connection);
        return Reply(
            Do(new SetStateRequest(queue, request.Get<string>(SessionNode.SessionId), state, by), transaction)
        );
    }

    private static Settlement SettlementOf(ManagementRequest request)
    {
        var properties = request.GetProperties("properties-to-modify");
        return request.Get<string>("disposition-status") switch
        {
            "completed" => Settlement.Complete,
            "abandoned" => new Settlement.Abandoned(properties),
            "defered" => new Settlement.Deferred(properties), // Misspelled in the protocol.
            "suspended" => new Settlement.DeadLettered(
                request.GetOrDefault<string>("deadletter-reason"),
                request.GetOrDefault<string>("deadletter-description"),
                properties
            ),
            "unlocked" => Settlement.Release,
            var other => throw new AmqpException(
                ServiceBusErrors.ArgumentError,
                $"Unknown disposition-status '{Excerpt.Of(other)}'. Expected completed, abandoned, defered, suspended, or unlocked."
            ),
        };
    }

    private AmqpMessage Peek(ManagementRequest request)
    {
        var messages = queue.Peek(
            request.Get<long>("from-sequence-number"),
            Math.Min(request.Get<int>("message-count"), MaxPeeked),
            SessionOf(request)
        );
        var room = MaxPeekedBytes;
        var entries = messages
            .Select(message => OutgoingMessage.ToArray(message, null))
            .TakeWhile((encoded, position) => (room -= encoded.Length) >= 0 || position == 0) // Always return the first message, regardless of its size.
            .Select(encoded => ManagementReply.Entry(encoded, null))
            .ToList<object?>();
        return entries.Count == 0 ? ManagementReply.Empty() : ManagementReply.Ok("messages", entries);
    }

    private AmqpMessage ReceiveDeferred(ManagementRequest request)
    {
        var numbers = request.GetArray<long>("sequence-numbers");
        var session = queue.Options.RequiresSession ? request.Get<string>(SessionNode.SessionId) : null;
        var received = queue.ReceiveDeferred(
            numbers,
            ModeOf(request),
            MaxDeferredBytes,
            session,
            SessionNode.RequesterOf(request, connection)
        );
        if (received is null)
            return ManagementReply.Failed(ClientErrors.MessageNotFound("deferred"));
        if (received is [] && numbers.Count > 0)
        {
            return ManagementReply.Failed(
                new(
                    ServiceBusErrors.ArgumentError,
                    $"The messages exceed {MaxDeferredBytes} bytes in total. Request fewer at once."
                )
            );
        }
        return ManagementReply.Ok(
            "messages",
            received
                .Select(entry => ManagementReply.Entry(OutgoingMessage.ToArray(entry.Message, entry.Lock), entry.Lock))
                .ToList<object?>()
        );
    }

    private static ReceiveMode ModeOf(ManagementRequest request) =>
        request.Get<uint>("receiver-settle-mode") == (uint)ReceiverSettleMode.First
            ? ReceiveMode.ReceiveAndDelete
            : ReceiveMode.PeekLock;

    /// <summary>Schedules messages and returns their sequence numbers immediately, even in a transaction, so that the
    /// client can cancel them.</summary>
    private AmqpMessage Schedule(ManagementRequest request, TransactionalState? transaction)
    {
        MessageContent[] messages = [.. request.GetArray<Dictionary<object, object?>>("messages").Select(ContentOf)];
        var send = new SendRequest(queue, messages, isNumbered: transaction is not null);
        if (transaction is null)
            send.Numbers = new long[messages.Length];
        return Do(send, transaction) is { } error
            ? ManagementReply.Failed(error)
            : ManagementReply.Ok("sequence-numbers", send.Numbers);
    }

    private MessageContent ContentOf(Dictionary<object, object?> entry)
    {
        if (entry.GetValueOrDefault("message") is not byte[] encoded)
            throw ManagementRequest.Bad("messages", typeof(byte[]));
        return encoded.Length <= queue.Options.MaxMessageSize
            ? IncomingMessage.Read(encoded, queue.Options.RequiresDuplicateDetection, queue.Options.ReadsSessions)
            : throw new AmqpException(ClientErrors.TooLarge(queue));
    }

    private AmqpMessage Delete(ManagementRequest request) =>
        ManagementReply.Ok(
            "message-count",
            queue.DeleteActive(
                Math.Min(request.Get<int>("message-count"), MaxDeleted),
                request.GetOrDefault<DateTimeOffset?>("enqueued-time-utc") ?? DateTimeOffset.MaxValue,
                SessionOf(request)
            )
        );

    private string? SessionOf(ManagementRequest request) =>
        queue.Options.RequiresSession ? request.GetOrDefault<string>(SessionNode.SessionId) : null;
}
