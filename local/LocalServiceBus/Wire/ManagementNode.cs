using System.Diagnostics;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The <c>$management</c> node of a queue, topic or subscription. SDKs cast what they read, so the types of the replies are part
/// of the protocol.</summary>
/// <param name="queue">Of the entity.</param>
/// <param name="latency">Of settlements; null: none.</param>
/// <param name="subscription">Null: a queue or topic.</param>
/// <param name="connection">The client's.</param>
/// <param name="transactions">The client's; null: it has none.</param>
internal sealed class ManagementNode(
    Queue queue,
    SettlementLatency? latency,
    Subscription? subscription = null,
    object? connection = null,
    ClientTransactions? transactions = null)
{
    private const string Prefix = "com.microsoft:";

    // A peek may be answered with less than was asked for, as by the service: clients go on behind the last message they got.
    private const int MostPeeked = 250, MostPeekedBytes = 1024 * 1024;

    // Deferred messages are asked for by number and come all or not at all.
    private const long MostDeferredBytes = 4 * 1024 * 1024;

    // As many as the service deletes for one request.
    private const int MostDeleted = 4000;

    /// <param name="message">The request.</param>
    /// <param name="answer">Called once with the reply.</param>
    /// <param name="transaction">That the request is a part of; null: of none.</param>
    public void Handle(AmqpMessage message, Action<AmqpMessage> answer, TransactionalState? transaction = null)
    {
        var request = new ManagementRequest(message);
        var reply = Reply(request, transaction);
        // Neither a lock nor a look is kept, and a refusal has nothing to keep.
        if (IsLook(request.Operation) || ManagementReply.IsFailed(reply))
            answer(reply);
        else if (transaction is not null)
            Answer(request, reply, answer);
        else
            queue.WhenKept(() => Answer(request, reply, answer));
    }

    private static bool IsLook(string? operation) => operation is Prefix + "renew-lock" or Prefix + "renew-session-lock"
        or Prefix + "peek-message" or Prefix + "get-session-state" or Prefix + "get-message-sessions" or Prefix + "enumerate-rules";

    /// <summary>Looks and locks are not undone by a roll-back.</summary>
    private static bool IsDoneAtOnce(ManagementRequest request) => IsLook(request.Operation)
        || (request.Operation == Prefix + "receive-by-sequence-number" && ModeOf(request) == ReceiveMode.PeekLock);

    private void Answer(ManagementRequest request, AmqpMessage reply, Action<AmqpMessage> answer)
    {
        if (latency is not null && request.Operation == Prefix + "update-disposition")
            latency.Answer(() => answer(reply));
        else
            answer(reply);
    }

    private AmqpMessage Reply(ManagementRequest request, TransactionalState? transaction)
    {
        try
        {
            if (transaction is not null && transactions?.IsOpen(transaction) != true)
                return ManagementReply.Failed(400, Refusal.UnknownTransaction);
            if (transaction is not null && !IsDoneAtOnce(request))
                return TransactionNode.Answer(queue, request, step => transactions!.Join(transaction, step, queue.TopLevel));
            if (subscription is not null && RuleNode.Answer(subscription, request, queue.Now) is { } answer)
                return answer;
            return request.Operation switch
            {
                _ when queue.Options.RequiresSession && SessionNode.Answer(queue, request, connection) is { } reply => reply,
                Prefix + "peek-message" or Prefix + "receive-by-sequence-number" when queue.IsForwarding =>
                    ManagementReply.Failed(400, Refusal.ReceiveWhereItForwards(queue)),
                Prefix + "renew-lock" => RenewLocks(request),
                Prefix + "update-disposition" => Settle(request),
                Prefix + "peek-message" => Peek(request),
                Prefix + "receive-by-sequence-number" => ReceiveDeferred(request),
                Prefix + "schedule-message" => Schedule(request),
                Prefix + "cancel-scheduled-message" => Cancel(request),
                Prefix + "batch-delete-messages" => Delete(request),
                _ => ManagementReply.Failed(501, new(
                    ErrorConditions.NotImplemented, $"This broker has no operation '{Excerpt.Of(request.Operation ?? "")}'.")),
            };
        }
        catch (AmqpException error)
        {
            return ManagementReply.Failed(400, error.Error);
        }
    }

    private AmqpMessage RenewLocks(ManagementRequest request)
    {
        var renewed = request.GetArray<Guid>("lock-tokens").Select(queue.RenewLock).ToList();
        return renewed.Contains(null)
            ? ManagementReply.Failed(410, Outcome.LockLost)
            : ManagementReply.Ok("expirations", renewed.Select(until => until!.Value).ToArray());
    }

    private AmqpMessage Settle(ManagementRequest request)
    {
        var settlement = SettlementOf(request);
        var results = request.GetArray<Guid>("lock-tokens").Select(token => queue.Settle(token, settlement)).ToList();
        if (results.Contains(SettleResult.LockLost))
            return ManagementReply.Failed(410, Outcome.LockLost);
        if (results.Contains(SettleResult.SessionLockLost))
            return ManagementReply.Failed(410, Refusal.SessionLockLost);
        if (results.Contains(SettleResult.PropertiesTooLarge))
            return ManagementReply.Failed(400, Outcome.PropertiesTooLarge);
        return results.Contains(SettleResult.NotAllowed) ? ManagementReply.Failed(400, Outcome.NotAllowed) : ManagementReply.Ok();
    }

    /// <exception cref="AmqpException">An argument is missing, or has a value that it cannot have.</exception>
    public static Settlement SettlementOf(ManagementRequest request)
    {
        var properties = request.GetProperties("properties-to-modify");
        return request.Get<string>("disposition-status") switch
        {
            "completed" => Settlement.Complete,
            "abandoned" => new Settlement.Abandoned(properties),
            "defered" => new Settlement.Deferred(properties), // spelt so by the protocol
            "suspended" => new Settlement.DeadLettered(
                request.GetOrDefault<string>("deadletter-reason"), request.GetOrDefault<string>("deadletter-description"), properties),
            "unlocked" => Settlement.Release,
            var other => throw new AmqpException(new(ServiceBusErrors.ArgumentError,
                $"disposition-status '{Excerpt.Of(other)}' is none of completed, abandoned, defered, suspended, unlocked.")),
        };
    }

    private AmqpMessage Peek(ManagementRequest request)
    {
        var messages = queue.Peek(
            request.Get<long>("from-sequence-number"),
            Math.Min(request.Get<int>("message-count"), MostPeeked),
            queue.Options.RequiresSession ? request.GetOrDefault<string>(SessionNode.SessionId) : null);
        var room = MostPeekedBytes;
        var entries = messages
            .Select(message => OutgoingMessage.ToArray(message, null))
            .TakeWhile((encoded, position) => (room -= encoded.Length) >= 0 || position == 0) // the first whatever its size
            .Select(encoded => ManagementReply.Entry(encoded, null))
            .ToList<object?>();
        return entries.Count == 0 ? ManagementReply.Empty() : ManagementReply.Ok("messages", entries);
    }

    private AmqpMessage ReceiveDeferred(ManagementRequest request)
    {
        var numbers = request.GetArray<long>("sequence-numbers");
        var received = queue.ReceiveDeferred(
            numbers, ModeOf(request), MostDeferredBytes, queue.Options.RequiresSession ? request.Get<string>(SessionNode.SessionId) : null);
        if (received is [] && numbers.Count > 0)
        {
            return ManagementReply.Failed(400, new(ServiceBusErrors.ArgumentError,
                $"The messages have more than {MostDeferredBytes} bytes together: ask for fewer at once."));
        }

        return received is not null
            ? ManagementReply.Ok("messages", received
                .Select(entry => ManagementReply.Entry(OutgoingMessage.ToArray(entry.Message, entry.Lock), entry.Lock))
                .ToList<object?>())
            : ManagementReply.NotFound("deferred");
    }

    private static ReceiveMode ModeOf(ManagementRequest request) =>
        request.GetOrDefault<uint>("receiver-settle-mode") == (uint)ReceiverSettleMode.First
            ? ReceiveMode.ReceiveAndDelete
            : ReceiveMode.PeekLock;

    private AmqpMessage Schedule(ManagementRequest request)
    {
        var messages = ContentsOf(request, queue);
        var numbers = new long[messages.Length];
        return queue.Enqueue(messages, numbers) switch
        {
            EnqueueResult.Accepted => ManagementReply.Ok("sequence-numbers", numbers),
            EnqueueResult.Failed => ManagementReply.Failed(500, Refusal.Failed(queue.Name)),
            EnqueueResult.BrokerFull => ManagementReply.Failed(403, Refusal.BrokerFull),
            EnqueueResult.NotKept => ManagementReply.Failed(403, Refusal.NotKept(queue)),
            EnqueueResult.QuotaExceeded => ManagementReply.Failed(403, Refusal.QueueFull(queue)),
            EnqueueResult.NoSession => ManagementReply.Failed(400, Refusal.NoSessionId(queue.Name)),
            EnqueueResult.Disabled => ManagementReply.Failed(403, Refusal.Disabled(queue.Name)),
            var result => throw new UnreachableException($"An answer of the queue that is {result}."),
        };
    }

    /// <summary>The messages that are to be scheduled.</summary>
    /// <exception cref="AmqpException">There are none, or one that the queue does not take.</exception>
    public static MessageContent[] ContentsOf(ManagementRequest request, Queue queue) =>
        [.. request.GetArray<Dictionary<object, object?>>("messages").Select(entry => ContentOf(entry, queue))];

    private static MessageContent ContentOf(Dictionary<object, object?> entry, Queue queue)
    {
        if (entry.GetValueOrDefault("message") is not byte[] encoded)
            throw ManagementRequest.Bad("messages", typeof(byte[]));
        return encoded.Length <= queue.Options.MaxMessageSize
            ? IncomingMessage.Read(encoded, queue.Options.RequiresDuplicateDetection, queue.Options.ReadsSessions)
            : throw new AmqpException(Refusal.TooLarge(queue));
    }

    private AmqpMessage Cancel(ManagementRequest request) => queue.CancelScheduled(request.GetArray<long>("sequence-numbers"))
        ? ManagementReply.Ok()
        : ManagementReply.NotFound("scheduled");

    private AmqpMessage Delete(ManagementRequest request) => ManagementReply.Ok("message-count", queue.DeleteActive(
        Math.Min(request.Get<int>("message-count"), MostDeleted),
        request.GetOrDefault<DateTimeOffset?>("enqueued-time-utc") ?? DateTimeOffset.MaxValue));
}
