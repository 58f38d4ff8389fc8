using Polly;

namespace DroneDelivery.ServiceDefaults.Resilience;

/// <summary>One call on its way through the pipeline.</summary>
/// <param name="request">Sent again with each attempt.</param>
/// <param name="began">Timestamp of the call's beginning: the total time-out counts from here.</param>
internal sealed class Call(HttpRequestMessage request, long began)
{
    public static readonly ResiliencePropertyKey<Call> Key = new("call");

    public HttpRequestMessage Request => request;

    public long Began => began;

    /// <summary>Whether an attempt was made, or refused by the open circuit.</summary>
    public bool WasAttempted { get; set; }

    /// <summary>The wait before the next attempt.</summary>
    public TimeSpan NextWait { get; set; }
}
