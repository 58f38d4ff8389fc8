using System.Diagnostics;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The errors with which the broker turns a client away.</summary>
internal static class Refusal
{
    private static AmqpError NotAllowed(string why) => new(ErrorConditions.NotAllowed, why);

    private static AmqpError LimitExceeded(string why) => new(ErrorConditions.ResourceLimitExceeded, why);

    private static AmqpError TooLarge(string why) => new(ErrorConditions.MessageSizeExceeded, why);

    public static AmqpError CoordinatorSendsNothing =>
        NotAllowed("Cannot receive from the coordinator: attach to it as a sender.");

    public static AmqpError NoSuchTransactions(Symbol capability) =>
        new(
            ErrorConditions.PreconditionFailed,
            $"The coordinator does not have the capability '{Excerpt.Of(capability.Value)}'."
        );

    public static AmqpError TooManyTransactions(int limit) =>
        LimitExceeded($"Transaction limit of the connection reached ({limit}): discharge some.");

    public static AmqpError UnknownTransaction =>
        new(
            ErrorConditions.TransactionUnknownId,
            "This connection has no such transaction: it was not declared here, was discharged, or took longer than "
                + $"{ClientTransactions.Timeout.TotalMinutes} minutes."
        );

    public static AmqpError NoOutcome =>
        new(
            ErrorConditions.InvalidField,
            "The transactional state has no outcome, which says how the message is settled."
        );

    public static AmqpError OtherTopLevel(string topLevel) =>
        NotAllowed(
            $"Transactions here belong to '{Excerpt.Of(topLevel)}': messages come from there only, and go elsewhere through it."
        );

    public static AmqpError NoDestination =>
        new(ErrorConditions.InvalidField, $"The link property {TransferDestination.Name} names no queue or topic.");

    public static AmqpError NotInTransaction(string operation) =>
        NotAllowed($"The operation '{Excerpt.Of(operation)}' is not supported in a transaction.");

    public static AmqpError NonExclusiveSessions =>
        new(
            ErrorConditions.NotImplemented,
            "A link can receive from one session only: use the filter com.microsoft:session-filter."
        );

    public static AmqpError NoBrowsing =>
        new(
            ErrorConditions.NotImplemented,
            "Browsing links are not supported: peek instead (com.microsoft:peek-message)."
        );

    public static AmqpError NeedsSession(string entity) =>
        NotAllowed($"The messaging entity '{entity}' requires sessions: receive from a session of it.");

    public static AmqpError HasNoSessions(string entity) =>
        NotAllowed($"The messaging entity '{entity}' has no sessions: receive without one.");

    private static AmqpError NoSessionId(string entity) =>
        NotAllowed($"The messaging entity '{entity}' requires sessions, and the message has no session id.");

    private static AmqpError SessionHeld =>
        new(ServiceBusErrors.SessionCannotBeLocked, "The session cannot be locked: another receiver holds it.");

    private static AmqpError NoSessionFree =>
        new(ServiceBusErrors.Timeout, "No session with messages became available within the client's timeout.");

    public static AmqpError SessionLockLost =>
        new(
            ServiceBusErrors.SessionLockLost,
            "The session lock has expired, or the message was settled: accept the session again."
        );

    public static AmqpError ReceiveFromTopic(string topic) =>
        NotAllowed($"Cannot receive from the topic '{topic}': receive from one of its subscriptions.");

    public static AmqpError SendToSubscription(string subscription) =>
        NotAllowed($"Cannot send to the subscription '{subscription}': send to its topic.");

    public static AmqpError ReceiveWhereItForwards(Queue queue) =>
        NotAllowed(
            $"'{queue.Name}' has auto-forwarding enabled: receive from '{Excerpt.Of(EntityAddress.PathOf(queue.Options.ForwardTo ?? ""))}'."
        );

    /// <summary>From a queue that is closed.</summary>
    public static AmqpError ToReceive(Queue queue) =>
        queue.IsReceiveDisabled ? Disabled(queue.Name) : ReceiveWhereItForwards(queue);

    public static AmqpError NoAddress =>
        new(ErrorConditions.InvalidField, "The link's source or target has no address.");

    public static AmqpError AddressTooLong =>
        new(ErrorConditions.InvalidField, "The address of the link is longer than any entity's.");

    public static AmqpError TokenExpired =>
        new(
            ErrorConditions.UnauthorizedAccess,
            "The token for this link has expired, or was replaced by one with fewer rights: send a new token to $cbs in time."
        );

    public static AmqpError NoToken =>
        new(
            ErrorConditions.UnauthorizedAccess,
            "The connection had no token for a minute: send one to $cbs, or log in with SASL PLAIN."
        );

    public static AmqpError SendToDeadLetterQueue =>
        NotAllowed("Cannot send to a dead-letter queue: dead-letter a message of its queue instead.");

    public static AmqpError NotFound(string entity) =>
        new(ErrorConditions.NotFound, EntityException.NotFoundText(entity));

    public static AmqpError OtherPartition(string key, string session) =>
        NotAllowed($"The partition key '{Excerpt.Of(key)}' and the session id '{session}' of a message must be equal.");

    public static AmqpError Disabled(string entity) =>
        new(
            ServiceBusErrors.EntityDisabled,
            $"The messaging entity '{entity}' is disabled for this operation, or was deleted."
        );

    public static AmqpError Of(QueueResult result, Queue queue) =>
        result switch
        {
            QueueResult.Disabled => Disabled(queue.Name),
            QueueResult.Deleted => NotFound(queue.Name),
            QueueResult.Failed => Failed(queue.Name),
            QueueResult.QuotaExceeded => QueueFull(queue),
            QueueResult.BrokerFull => BrokerFull,
            QueueResult.NotKept => NotKept(queue),
            QueueResult.NoSession => NoSessionId(queue.Name),
            QueueResult.LockLost => LockLost,
            QueueResult.SessionLockLost => SessionLockLost,
            QueueResult.NotAllowed => DeadLetterTwice,
            QueueResult.PropertiesTooLarge => ChangesTooLarge,
            QueueResult.NotScheduled => MessageNotFound("scheduled"),
            QueueResult.StateTooLarge => StateTooLarge(queue),
            QueueResult.SessionHeld => SessionHeld,
            QueueResult.TimedOut => NoSessionFree,
            _ => throw new UnreachableException($"A refusal that is {result}."),
        };

    /// <summary>Why it was not done.</summary>
    public static AmqpError Of(QueueRequest request) => Of(request.Result, request.Queue);

    public static AmqpError Of(EntityException error) =>
        new(
            error.Failure switch
            {
                EntityFailure.AlreadyExists => ServiceBusErrors.EntityAlreadyExists,
                EntityFailure.NotFound => ErrorConditions.NotFound,
                EntityFailure.QuotaExceeded => ErrorConditions.ResourceLimitExceeded,
                _ => ServiceBusErrors.ArgumentError,
            },
            error.Message
        );

    private static AmqpError LockLost =>
        new(
            ServiceBusErrors.MessageLockLost,
            "The lock supplied is invalid: it has expired, or the message was settled or redelivered."
        );

    private static AmqpError DeadLetterTwice => NotAllowed("A message in a dead-letter queue cannot be dead-lettered.");

    private static AmqpError ChangesTooLarge =>
        new(
            ServiceBusErrors.ArgumentError,
            $"Application properties that a settlement changes have simple values and at most {MemorySize.MaxProperties} bytes together, "
                + "reason and description included."
        );

    public static AmqpError RolledBack(QueueRequest step) =>
        RolledBack($"'{Excerpt.Of(step.Queue.Name)}': {Of(step).Description}");

    public static AmqpError Doomed =>
        RolledBack("something that was to be done in it was refused, and settled already");

    public static AmqpError Broken =>
        RolledBack("the broker is stopping, or has a defect, of which its log has the cause");

    private static AmqpError RolledBack(string why) =>
        new(ErrorConditions.TransactionRollback, $"The transaction was rolled back: {why}");

    public static AmqpError TooManyMessages =>
        LimitExceeded(
            $"A transaction can send {Transaction.MostSent} messages, and settle or cancel {Transaction.MostOthers}."
        );

    public static AmqpError TooManyBytes =>
        LimitExceeded("Too many bytes wait in the transactions of this connection.");

    public static AmqpError MessageNotFound(string kind) =>
        new(ServiceBusErrors.MessageNotFound, $"At least one of the sequence numbers is not that of a {kind} message.");

    public static AmqpError Failed(string entity) =>
        new(
            ErrorConditions.InternalError,
            $"The messaging entity '{entity}' has failed, which is a defect of the broker: its log has the cause. "
                + "Delete it and create it again."
        );

    private static AmqpError BrokerFull =>
        LimitExceeded(
            "Memory limit reached: all queues together hold three quarters of the broker's memory. Receive, or purge a queue."
        );

    private static AmqpError NotKept(Queue queue) =>
        LimitExceeded(
            $"The broker cannot write to its data folder and rejects messages until it can: {queue.JournalTrouble ?? "it can again"}."
        );

    public static AmqpError TooLarge(Queue queue) =>
        TooLarge(
            $"The message is larger than the limit of queue '{queue.Name}' ({queue.Options.MaxMessageSize} bytes)."
        );

    public static AmqpError PropertiesTooLarge =>
        TooLarge(
            $"Header, annotations and properties of the message are larger than {MemorySize.MaxProperties} bytes together: move data to the body."
        );

    private static AmqpError StateTooLarge(Queue queue) =>
        TooLarge(
            $"The session state is larger than the limit of queue '{queue.Name}' ({queue.Options.MaxMessageSize} bytes)."
        );

    public static AmqpError RequestTooLarge(string node, ulong limit) =>
        TooLarge($"The request is larger than the limit of {node} ({limit} bytes).");

    public static AmqpError RepliesNotTaken => LimitExceeded("Too many replies wait for credit on this connection.");

    public static AmqpError TooManyConnections(int limit) => LimitExceeded($"Connection limit reached ({limit}).");

    private static AmqpError QueueFull(Queue queue) =>
        LimitExceeded($"Queue '{queue.Name}' is full ({queue.Options.MaxSizeInMegabytes} MB).");
}

/// <summary>Error conditions that the service defines beyond those of AMQP; SDKs map them to their exceptions.</summary>
internal static class ServiceBusErrors
{
    public const string MessageLockLost = "com.microsoft:message-lock-lost";
    public const string MessageNotFound = "com.microsoft:message-not-found";
    public const string SessionLockLost = "com.microsoft:session-lock-lost";
    public const string SessionCannotBeLocked = "com.microsoft:session-cannot-be-locked";
    public const string Timeout = "com.microsoft:timeout";
    public const string EntityAlreadyExists = "com.microsoft:entity-already-exists";
    public const string EntityDisabled = "com.microsoft:entity-disabled";
    public const string ArgumentError = "com.microsoft:argument-error";
    public const string ArgumentOutOfRange = "com.microsoft:argument-out-of-range";

    /// <summary>As a condition of Rejected: not an error but the wish to dead-letter.</summary>
    public const string DeadLetter = "com.microsoft:dead-letter";
}
