namespace Azure.Messaging.ServiceBus;

/// <summary>Why an operation against Service Bus failed.</summary>
public enum ServiceBusFailureReason
{
    GeneralError,
    MessagingEntityNotFound,
    MessageLockLost,
    MessageNotFound,
    MessageSizeExceeded,
    MessagingEntityDisabled,
    QuotaExceeded,
    ServiceBusy,
    ServiceTimeout,
    ServiceCommunicationProblem,
    SessionCannotBeLocked,
    SessionLockLost,
    MessagingEntityAlreadyExists,
}
