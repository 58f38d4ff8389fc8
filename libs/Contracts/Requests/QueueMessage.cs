namespace DroneDelivery.Contracts;

/// <summary>Format of queue messages. The property <see cref="OperationProperty"/> determines the type of the JSON body.</summary>
public static class QueueMessage
{
    public const string OperationProperty = "operation";

    /// <summary>Number of retries by Workflow; absent before the first.</summary>
    public const string RetriesProperty = "retries";

    /// <summary>
    /// Time at which Ingestion accepted the message (ISO 8601, seven decimals); absent from older producers. Of two reschedules, the later
    /// one wins.
    /// </summary>
    public const string AcceptedProperty = "acceptedAt";

    /// <summary>
    /// Fingerprint of the delivery request without its id; absent from older producers. Distinguishes a replay from another request with
    /// the same id.
    /// </summary>
    public const string FingerprintProperty = "fingerprint";

    /// <summary>Number of times an operator has resent the delivery request; absent before the first.</summary>
    public const string AttemptProperty = "attempt";

    /// <summary>Operation with the body <see cref="DeliveryRequest"/>. The message id is the delivery id.</summary>
    public const string Delivery = "delivery";

    /// <summary>Operation with the body <see cref="CancelRequest"/>.</summary>
    public const string Cancel = "cancel";

    /// <summary>Operation with the body <see cref="RescheduleRequest"/>.</summary>
    public const string Reschedule = "reschedule";

    public const string ContentType = "application/json";
}
