using System.Net.Sockets;
using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus;

/// <summary>Broker conditions and transport failures as the exceptions that callers know.</summary>
internal static class ErrorTranslation
{
    /// <summary>What <paramref name="error"/> means for a caller; exceptions that already say it are returned as they are.</summary>
    public static Exception Translate(Exception error, string? entityPath) => error switch
    {
        AmqpException amqp => FromError(amqp.Error, entityPath, error),
        TimeoutException => Reason(ServiceBusFailureReason.ServiceTimeout, "The broker did not answer in time.", entityPath, error),
        SocketException or IOException => Reason(ServiceBusFailureReason.ServiceCommunicationProblem, error.Message, entityPath, error),
        _ => error,
    };

    public static Exception FromError(AmqpError error, string? entityPath, Exception? cause = null)
    {
        var message = error.Description ?? error.Condition.Value;
        return error.Condition.Value switch
        {
            "com.microsoft:timeout" => Reason(ServiceBusFailureReason.ServiceTimeout, message, entityPath, cause),
            "com.microsoft:server-busy" => Reason(ServiceBusFailureReason.ServiceBusy, message, entityPath, cause),
            "com.microsoft:message-lock-lost" => Reason(ServiceBusFailureReason.MessageLockLost, message, entityPath, cause),
            "com.microsoft:session-lock-lost" => Reason(ServiceBusFailureReason.SessionLockLost, message, entityPath, cause),
            "com.microsoft:session-cannot-be-locked" => Reason(ServiceBusFailureReason.SessionCannotBeLocked, message, entityPath, cause),
            "com.microsoft:message-not-found" => Reason(ServiceBusFailureReason.MessageNotFound, message, entityPath, cause),
            "com.microsoft:entity-already-exists" =>
                Reason(ServiceBusFailureReason.MessagingEntityAlreadyExists, message, entityPath, cause),
            "com.microsoft:entity-disabled" => Reason(ServiceBusFailureReason.MessagingEntityDisabled, message, entityPath, cause),
            "com.microsoft:argument-error" => new ArgumentException(message, cause),
            "com.microsoft:argument-out-of-range" => new ArgumentOutOfRangeException(message, cause),
            "com.microsoft:auth-failed" or ErrorConditions.UnauthorizedAccess => new UnauthorizedAccessException(message, cause),
            ErrorConditions.NotFound => Reason(ServiceBusFailureReason.MessagingEntityNotFound, message, entityPath, cause),
            ErrorConditions.NotAllowed => new InvalidOperationException(message, cause),
            ErrorConditions.NotImplemented => new NotSupportedException(message, cause),
            ErrorConditions.ResourceLimitExceeded => Reason(ServiceBusFailureReason.QuotaExceeded, message, entityPath, cause),
            ErrorConditions.MessageSizeExceeded => Reason(ServiceBusFailureReason.MessageSizeExceeded, message, entityPath, cause),
            // What is left are broken connections, sessions and links, which open anew, and what only the broker knows.
            _ => new ServiceBusException(isTransient: true, message, entityPath, innerException: cause),
        };
    }

    /// <summary>The error of a <c>$management</c> answer; the condition says more than the status, when there is one.</summary>
    public static Exception FromManagement(int status, Symbol? condition, string? description, string? entityPath) =>
        FromError(new AmqpError(condition ?? ConditionOf(status), description ?? $"The broker answered with status {status}."), entityPath);

    /// <summary>The error of a <c>$cbs</c> answer, which has no condition.</summary>
    public static Exception FromClaims(int status, string description, string? entityPath) =>
        FromError(new AmqpError(ClaimsConditionOf(status), description), entityPath);

    private static Symbol ConditionOf(int status) => status switch
    {
        400 => ErrorConditions.NotAllowed,
        401 => ErrorConditions.UnauthorizedAccess,
        403 => ErrorConditions.ResourceLimitExceeded,
        404 => ErrorConditions.NotFound,
        408 => "com.microsoft:timeout",
        409 => "com.microsoft:entity-already-exists",
        410 => "com.microsoft:message-lock-lost",
        501 => ErrorConditions.NotImplemented,
        503 => "com.microsoft:server-busy",
        _ => ErrorConditions.InternalError,
    };

    private static Symbol ClaimsConditionOf(int status) => status switch
    {
        400 => "com.microsoft:argument-error",
        403 => ErrorConditions.UnauthorizedAccess,
        _ => ConditionOf(status),
    };

    private static ServiceBusException Reason(ServiceBusFailureReason reason, string message, string? entityPath, Exception? cause) =>
        new(message, reason, entityPath, cause);
}
