namespace DroneDelivery.LocalServiceBus.Wire;

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
