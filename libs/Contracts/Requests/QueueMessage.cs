namespace DroneDelivery.Contracts;

/// <summary>
/// The messages of the queue: content type <c>application/json</c>, subject-free; the application property <see cref="OperationProperty"/>
/// names the operation and so the type of the body.
/// </summary>
public static class QueueMessage
{
    public const string OperationProperty = "operation";

    /// <summary>Application property, a whole number: how often Workflow has retried the message. Absent at first.</summary>
    public const string RetriesProperty = "retries";

    /// <summary>
    /// Application property, ISO 8601 with seven decimals of a second: when Ingestion accepted the message. Of two reschedules the one that
    /// was accepted later wins. Absent in the messages of older producers, which win in the order in which they are handled.
    /// </summary>
    public const string AcceptedProperty = "acceptedAt";

    /// <summary>
    /// Application property of a delivery: fingerprint of the request as it was accepted, without its id. It tells the replay of a request
    /// from another request with the same id. Absent in the messages of older producers.
    /// </summary>
    public const string FingerprintProperty = "fingerprint";

    /// <summary>Application property of a delivery, a whole number: how often an operator has sent it again. Absent at first.</summary>
    public const string AttemptProperty = "attempt";

    /// <summary>Body: <see cref="DeliveryRequest"/>. MessageId = delivery id.</summary>
    public const string Delivery = "delivery";

    /// <summary>Body: <see cref="CancelRequest"/>.</summary>
    public const string Cancel = "cancel";

    /// <summary>Body: <see cref="RescheduleRequest"/>.</summary>
    public const string Reschedule = "reschedule";

    public const string ContentType = "application/json";
}
