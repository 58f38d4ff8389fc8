namespace DroneDelivery.Contracts;

/// <summary>The types of the problems with which the five services answer: programs tell problems apart by them.</summary>
public static class ProblemTypes
{
    public const string Prefix = "urn:drone-delivery:";

    public const string
        // The id belongs to a request with other content.
        OtherRequest = Prefix + "other-request",
        // The request has failed, and what it had made is undone.
        Failed = Prefix + "failed",
        // The delivery is recorded, so its request has not failed.
        Recorded = Prefix + "recorded",
        // The request is in the queue.
        Pending = Prefix + "pending",
        OtherOwner = Prefix + "other-owner";

    /// <summary>Of a delivery and its drone.</summary>
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

    /// <summary>Nothing of the request was done: it may be sent again later.</summary>
    public const string RateLimited = Prefix + "rate-limited",
        TooManyRequests = Prefix + "too-many-requests",
        RequestTimeout = Prefix + "request-timeout";

    /// <summary>Something that the service needs does not answer.</summary>
    public const string QueueUnavailable = Prefix + "queue-unavailable",
        DeliveryUnavailable = Prefix + "delivery-unavailable",
        RedisOutOfMemory = Prefix + "redis-out-of-memory",
        RedisReadOnly = Prefix + "redis-read-only",
        RedisUnreachable = Prefix + "redis-unreachable";
}
