namespace DroneDelivery.Delivery;

/// <summary>What became of a change.</summary>
internal abstract record ChangeResult
{
    /// <summary>The delivery is as the change wants it. After a replay it is as it was before.</summary>
    public sealed record Done(StoredDelivery Stored) : ChangeResult;

    /// <summary>The delivery is completed or cancelled, and stays as it is.</summary>
    public sealed record Over : ChangeResult;

    /// <summary>There is no delivery, for its request has failed.</summary>
    public sealed record Failed : ChangeResult;

    /// <summary>The drone has not taken off.</summary>
    public sealed record TooEarly : ChangeResult;

    /// <summary>A field says what cannot be meant of this delivery.</summary>
    public sealed record Wrong(string Field, string Mistake) : ChangeResult;

    /// <summary>There is no such delivery.</summary>
    public sealed record Unknown : ChangeResult;
}
