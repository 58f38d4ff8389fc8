namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The application properties for the dead-letter reason, and the broker's own reasons.</summary>
internal static class DeadLetterReason
{
    public const string Property = "DeadLetterReason";
    public const string DescriptionProperty = "DeadLetterErrorDescription";

    public const string MaxDeliveryCountExceeded = "MaxDeliveryCountExceeded";
    public const string SessionIdIsNull = "Session ID is null";
    public const string FilterFailed = "FilterEvaluationException";
    public const string TimeToLiveExpired = "TTLExpiredException";
    public const string TooManyHops = "MaxTransferHopCountExceeded";

    public static Dictionary<string, object?> Properties(string? reason, string? description)
    {
        var properties = new Dictionary<string, object?>();
        if (reason is not null)
            properties[Property] = reason;
        if (description is not null)
            properties[DescriptionProperty] = description;
        return properties;
    }
}
