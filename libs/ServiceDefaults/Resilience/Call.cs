using Polly;

namespace DroneDelivery.ServiceDefaults.Resilience;

/// <summary>What the steps of the pipeline know of one call.</summary>
/// <param name="began">Timestamp of the call's beginning: the total time-out counts from here.</param>
/// <param name="address">What it asks for.</param>
internal sealed class Call(long began, Uri? address)
{
    private static readonly ResiliencePropertyKey<Call> Key = new("call");

    public long Began => began;

    /// <summary>Tells calls for different things apart.</summary>
    public string Target => address?.AbsolutePath ?? "";

    /// <summary>Whether an attempt was made, or refused by the open circuit.</summary>
    public bool WasAttempted { get; set; }

    /// <summary>The wait before the next attempt.</summary>
    public TimeSpan NextWait { get; set; }

    /// <summary>Its context for the pipeline.</summary>
    public ResilienceContext Begin(CancellationToken cancellationToken)
    {
        var context = ResilienceContextPool.Shared.Get(cancellationToken);
        context.Properties.Set(Key, this);
        return context;
    }

    public static Call Of(ResilienceContext context) => context.Properties.GetValue(Key, null!);
}
