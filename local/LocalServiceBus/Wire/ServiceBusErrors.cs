namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Error conditions that the service defines beyond those of AMQP; SDKs map them to their exceptions.</summary>
internal static class ServiceBusErrors
{
    public const string MessageLockLost = "com.microsoft:message-lock-lost";
    public const string MessageNotFound = "com.microsoft:message-not-found";
    public const string EntityDisabled = "com.microsoft:entity-disabled";
    public const string ArgumentError = "com.microsoft:argument-error";

    /// <summary>As a condition of Rejected: not an error but the wish to dead-letter.</summary>
    public const string DeadLetter = "com.microsoft:dead-letter";
}
