using System.Globalization;

namespace Azure.Messaging.ServiceBus;

/// <summary>An operation against Service Bus failed; <see cref="Reason"/> says why, <see cref="IsTransient"/> whether trying
/// again may help.</summary>
public class ServiceBusException : Exception
{
    public ServiceBusException()
    {
    }

    public ServiceBusException(
        bool isTransient,
        string message,
        string? entityName = null,
        ServiceBusFailureReason reason = ServiceBusFailureReason.GeneralError,
        Exception? innerException = null)
        : base(message, innerException)
    {
        IsTransient = isTransient;
        EntityPath = entityName;
        Reason = reason;
    }

    public ServiceBusException(string message, ServiceBusFailureReason reason, string? entityPath = null, Exception? innerException = null)
        : this(IsTransientReason(reason), message, entityPath, reason, innerException)
    {
    }

    /// <summary>True when the same operation may succeed if tried again.</summary>
    public bool IsTransient { get; }

    public ServiceBusFailureReason Reason { get; }

    /// <summary>The queue that the operation was for, when it was for one.</summary>
    public string? EntityPath { get; }

    public override string Message => EntityPath is null
        ? string.Create(CultureInfo.InvariantCulture, $"{base.Message} ({Reason})")
        : string.Create(CultureInfo.InvariantCulture, $"{base.Message} ({Reason}; entity '{EntityPath}')");

    private static bool IsTransientReason(ServiceBusFailureReason reason) => reason is
        ServiceBusFailureReason.ServiceCommunicationProblem or
        ServiceBusFailureReason.ServiceTimeout or
        ServiceBusFailureReason.ServiceBusy;
}
