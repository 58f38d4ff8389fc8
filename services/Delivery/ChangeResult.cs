namespace DroneDelivery.Delivery;

internal abstract record ChangeResult
{
    /// <summary>The change is stored, or was stored before.</summary>
    public sealed record Done(StoredDelivery Stored) : ChangeResult;

    public sealed record Over : ChangeResult;

    /// <summary>The request for the delivery failed.</summary>
    public sealed record Failed : ChangeResult;

    public sealed record TooEarly : ChangeResult;

    /// <summary>The value of a field is invalid for this delivery.</summary>
    public sealed record InvalidField(string Field, string Error) : ChangeResult;

    public sealed record Unknown : ChangeResult;
}
