using System.Diagnostics;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The errors that the broker returns to clients.</summary>
internal static class ClientErrors
{
    private static AmqpError NotAllowed(string why) => new(ErrorConditions.NotAllowed, why);

    private static AmqpError LimitExceeded(string why) => new(ErrorConditions.ResourceLimitExceeded, why);

    private static AmqpError TooLarge(string why) => new(ErrorConditions.MessageSizeExceeded, why);

    public static AmqpError CoordinatorSendsNothing =>
        NotAllowed("Cannot receive from the coordinator. Attach to it as a sender.");

    public static AmqpError UnsupportedCapability(Symbol capability) =>
        new(
            ErrorConditions.PreconditionFailed,
            $"The coordinator does not support the capability '{Excerpt.Of(capability.Value)}'."
        );

    public static AmqpError TooManyTransactions(int limit) =>
        LimitExceeded($"Transaction limit of the connection reached ({limit}). Discharge transactions first.");

    public static AmqpError UnknownTransaction =>
        new(
            ErrorConditions.TransactionUnknownId,
            "Unknown transaction: it was not declared on this connection, was already discharged, or took longer than "
                + $"{ClientTransactions.Timeout.TotalMinutes} minutes."
        );

    public static AmqpError NoOutcome =>
        new(ErrorConditions.InvalidField, "The transactional state does not contain an outcome.");

    public static AmqpError OtherTopLevel(string topLevel) =>
        NotAllowed(
            $"Transactions on this session belong to '{Excerpt.Of(topLevel)}'. Receive only from it, and send to other entities through it."
        );

    public static AmqpError NoDestination =>
        new(
            ErrorConditions.InvalidField,
            $"The link property {TransferDestination.Name} is not the address of a queue or topic."
        );

    public static AmqpError NotInTransaction(string operation) =>
        NotAllowed($"The operation '{Excerpt.Of(operation)}' is not supported in a transaction.");

    public static AmqpError NonExclusiveSessions =>
        new(
            ErrorConditions.NotImplemented,
            "A link can receive from one session only. Use the filter com.microsoft:session-filter."
        );

    public static AmqpError NoBrowsing =>
        new(ErrorConditions.NotImplemented, "Browsing links are not supported. Use com.microsoft:peek-message.");

    public static AmqpError NeedsSession(string entity) =>
        NotAllowed($"The messaging entity '{entity}' requires sessions. Accept a session to receive from it.");

    public static AmqpError HasNoSessions(string entity) =>
        NotAllowed($"The messaging entity '{entity}' does not support sessions. Receive without a session.");

    private static AmqpError NoSessionId(string entity) =>
        NotAllowed($"The messaging entity '{entity}' requires sessions, but the message has no session ID.");

    private static AmqpError SessionHeld =>
        new(ServiceBusErrors.SessionCannotBeLocked, "The session cannot be locked: another receiver holds it.");

    private static AmqpError NoSessionAvailable =>
        new(ServiceBusErrors.Timeout, "No session with messages became available within the client's timeout.");

    public static AmqpError SessionLockLost =>
        new(
            ServiceBusErrors.SessionLockLost,
            "The session lock has expired, or the message was already settled. Accept the session again."
        );

    public static AmqpError ReceiveFromTopic(string topic) =>
        NotAllowed($"Cannot receive from the topic '{topic}'. Receive from one of its subscriptions.");

    public static AmqpError SendToSubscription(string subscription) =>
        NotAllowed($"Cannot send to the subscription '{subscription}'. Send to its topic.");

    public static AmqpError ReceiveFromForwarding(Queue queue) =>
        NotAllowed(
            $"'{queue.Name}' has auto-forwarding enabled. Receive from '{Excerpt.Of(EntityAddress.PathOf(queue.Options.ForwardTo ?? ""))}'."
        );

    public static AmqpError ToReceive(Queue queue) =>
        queue.IsReceiveDisabled ? Disabled(queue.Name) : ReceiveFromForwarding(queue);

    public static AmqpError NoAddress =>
        new(ErrorConditions.InvalidField, "The link's source or target has no address.");

    public static AmqpError AddressTooLong =>
        new(ErrorConditions.InvalidField, "The address of the link is longer than any entity's.");

    public static AmqpError TokenExpired =>
        new(
            ErrorConditions.UnauthorizedAccess,
            "The token for this link has expired, or was replaced by one with fewer permissions. Send a new token to $cbs in time."
        );

    public static AmqpError NoToken =>
        new(
            ErrorConditions.UnauthorizedAccess,
            "The connection had no token for a minute. Send one to $cbs, or log in with SASL PLAIN."
        );

    public static AmqpError SendToDeadLetterQueue =>
        NotAllowed("Cannot send to a dead-letter queue. Dead-letter a message of its queue instead.");

    public static AmqpError NotFound(string entity) =>
        new(ErrorConditions.NotFound, EntityException.NotFoundText(entity));

    public static AmqpError OtherPartition(string key, string session) =>
        NotAllowed($"The partition key '{Excerpt.Of(key)}' and the session ID '{session}' of a message must be equal.");

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
            QueueResult.NotStored => NotStored(queue),
            QueueResult.NoSession => NoSessionId(queue.Name),
            QueueResult.LockLost => LockLost,
            QueueResult.SessionLockLost => SessionLockLost,
            QueueResult.NotAllowed => DeadLetterTwice,
            QueueResult.PropertiesTooLarge => ChangesTooLarge,
            QueueResult.NotScheduled => MessageNotFound("scheduled"),
            QueueResult.StateTooLarge => StateTooLarge(queue),
            QueueResult.SessionHeld => SessionHeld,
            QueueResult.TimedOut => NoSessionAvailable,
            _ => throw new UnreachableException($"Unexpected result {result}."),
        };

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
            $"The application properties of a settlement must have simple values and at most {MemorySize.MaxProperties} bytes in total, "
                + "including the reason and description."
        );

    public static AmqpError RolledBack(QueueRequest step) =>
        RolledBack($"'{Excerpt.Of(step.Queue.Name)}': {Of(step).Description}");

    public static AmqpError RollbackOnly =>
        RolledBack("one of its operations was rejected after the client had settled it");

    public static AmqpError Broken =>
        RolledBack("the broker is stopping, or an internal error occurred (see the broker's log)");

    private static AmqpError RolledBack(string why) =>
        new(ErrorConditions.TransactionRollback, $"The transaction was rolled back: {why}");

    public static AmqpError TooManyMessages =>
        LimitExceeded(
            $"A transaction can send at most {Transaction.MaxSent} messages, and settle or cancel at most {Transaction.MaxOthers}."
        );

    public static AmqpError TooManyBytes =>
        LimitExceeded("The uncommitted transactions of this connection are too large.");

    public static AmqpError MessageNotFound(string kind) =>
        new(
            ServiceBusErrors.MessageNotFound,
            $"At least one of the sequence numbers does not belong to a {kind} message."
        );

    public static AmqpError Failed(string entity) =>
        new(
            ErrorConditions.InternalError,
            $"The messaging entity '{entity}' has failed because of an internal error (see the broker's log). "
                + "Delete it and create it again."
        );

    private static AmqpError BrokerFull =>
        LimitExceeded(
            "Memory limit reached: the queues use three quarters of the broker's memory. Receive messages, or purge a queue."
        );

    private static AmqpError NotStored(Queue queue) =>
        LimitExceeded(
            $"The broker rejects messages because it cannot write to its data folder: {queue.JournalError ?? "the error has been resolved, try again"}."
        );

    public static AmqpError TooLarge(Queue queue) =>
        TooLarge(
            $"The message is larger than the limit of queue '{queue.Name}' ({queue.Options.MaxMessageSize} bytes)."
        );

    public static AmqpError PropertiesTooLarge =>
        TooLarge(
            $"The header, annotations, and properties of the message exceed {MemorySize.MaxProperties} bytes in total. Move data to the body."
        );

    private static AmqpError StateTooLarge(Queue queue) =>
        TooLarge(
            $"The session state is larger than the limit of queue '{queue.Name}' ({queue.Options.MaxMessageSize} bytes)."
        );

    public static AmqpError RequestTooLarge(string node, ulong limit) =>
        TooLarge($"The request is larger than the limit of {node} ({limit} bytes).");

    public static AmqpError TooManyReplies =>
        LimitExceeded("Too many replies are waiting for credit on this connection.");

    public static AmqpError TooManyConnections(int limit) => LimitExceeded($"Connection limit reached ({limit}).");

    private static AmqpError QueueFull(Queue queue) =>
        LimitExceeded($"Queue '{queue.Name}' is full ({queue.Options.MaxSizeInMegabytes} MB).");
}

/// <summary>Error conditions that Service Bus adds to those of AMQP. SDKs map them to exceptions.</summary>
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

    /// <summary>In an outcome <c>rejected</c>, a request to dead-letter the message rather than an error.</summary>
    public const string DeadLetter = "com.microsoft:dead-letter";
}
