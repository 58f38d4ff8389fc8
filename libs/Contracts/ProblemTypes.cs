namespace DroneDelivery.Contracts;

/// <summary>Problem types of the services.</summary>
public static class ProblemTypes
{
    public const string Prefix = "urn:drone-delivery:";

    public const string
        // The id belongs to a request with different content.
        OtherRequest = Prefix + "other-request",
        // The request failed and was compensated.
        Failed = Prefix + "failed",
        // The delivery is recorded, so its request succeeded.
        Recorded = Prefix + "recorded",
        // The request is still queued.
        Pending = Prefix + "pending",
        OtherOwner = Prefix + "other-owner";

    // Conflicts with the state of a delivery or its drone.
    public const string Over = Prefix + "over",
        NotTakenOff = Prefix + "not-taken-off",
        Cancelled = Prefix + "cancelled",
        Flown = Prefix + "flown",
        // The drone would be late for its next flight.
        DroneNeeded = Prefix + "drone-needed",
        NoSuitableDrone = Prefix + "no-suitable-drone";

    public const string PackageOfAnotherOwner = Prefix + "package-of-another-owner",
        PackageDiffers = Prefix + "package-differs",
        PackageChanged = Prefix + "package-changed";

    // The request wasn't processed; clients may retry it.
    public const string RateLimited = Prefix + "rate-limited",
        TooManyRequests = Prefix + "too-many-requests",
        RequestTimeout = Prefix + "request-timeout";

    // A dependency is unavailable.
    public const string QueueUnavailable = Prefix + "queue-unavailable",
        DeliveryUnavailable = Prefix + "delivery-unavailable",
        RedisOutOfMemory = Prefix + "redis-out-of-memory",
        RedisReadOnly = Prefix + "redis-read-only",
        RedisUnreachable = Prefix + "redis-unreachable";
}
