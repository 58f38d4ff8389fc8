namespace DroneDelivery.Delivery;

/// <summary>The outcome of a change.</summary>
internal abstract record ChangeResult
{
    /// <summary>The change is stored, or was stored before.</summary>
    public sealed record Done(StoredDelivery Stored) : ChangeResult;

    /// <summary>The delivery is completed or cancelled.</summary>
    public sealed record Over : ChangeResult;

    /// <summary>The request for the delivery failed.</summary>
    public sealed record Failed : ChangeResult;

    /// <summary>The drone hasn't taken off.</summary>
    public sealed record TooEarly : ChangeResult;

    /// <summary>The value of a field is invalid for this delivery.</summary>
    public sealed record Wrong(string Field, string Mistake) : ChangeResult;

    /// <summary>The delivery doesn't exist.</summary>
    public sealed record Unknown : ChangeResult;
}
