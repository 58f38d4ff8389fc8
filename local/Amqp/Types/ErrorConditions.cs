namespace DroneDelivery.Amqp;

/// <summary>The error conditions of the protocol (AMQP 1.0 §2.8.15 – §2.8.18, §4.5.8).</summary>
public static class ErrorConditions
{
    public const string InternalError = "amqp:internal-error";
    public const string NotFound = "amqp:not-found";
    public const string UnauthorizedAccess = "amqp:unauthorized-access";
    public const string DecodeError = "amqp:decode-error";
    public const string ResourceLimitExceeded = "amqp:resource-limit-exceeded";
    public const string NotAllowed = "amqp:not-allowed";
    public const string InvalidField = "amqp:invalid-field";
    public const string NotImplemented = "amqp:not-implemented";
    public const string PreconditionFailed = "amqp:precondition-failed";
    public const string FrameSizeTooSmall = "amqp:frame-size-too-small";

    public const string ConnectionForced = "amqp:connection:forced";
    public const string FramingError = "amqp:connection:framing-error";

    public const string WindowViolation = "amqp:session:window-violation";
    public const string HandleInUse = "amqp:session:handle-in-use";
    public const string UnattachedHandle = "amqp:session:unattached-handle";

    public const string DetachForced = "amqp:link:detach-forced";
    public const string TransferLimitExceeded = "amqp:link:transfer-limit-exceeded";
    public const string MessageSizeExceeded = "amqp:link:message-size-exceeded";

    public const string TransactionUnknownId = "amqp:transaction:unknown-id";
    public const string TransactionRollback = "amqp:transaction:rollback";
}
