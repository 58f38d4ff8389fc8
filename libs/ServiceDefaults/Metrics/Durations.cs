using System.Diagnostics.Metrics;

namespace DroneDelivery.ServiceDefaults.Metrics;

/// <summary>Histograms in seconds, with explicit bounds because collectors assume milliseconds.</summary>
public static class Durations
{
    private static readonly double[] DefaultBounds =
    [
        0.005,
        0.01,
        0.025,
        0.05,
        0.075,
        0.1,
        0.25,
        0.5,
        0.75,
        1,
        2.5,
        5,
        7.5,
        10,
        30,
    ];

    /// <param name="bounds">The upper bounds of the buckets, in seconds; by default 5 ms to 30 s.</param>
    public static Histogram<double> CreateDuration(
        this Meter meter,
        string name,
        string description,
        params double[] bounds
    )
    {
        var advice = new InstrumentAdvice<double>
        {
            HistogramBucketBoundaries = bounds is { Length: > 0 } ? bounds : DefaultBounds,
        };
        return meter.CreateHistogram(name, "s", description, tags: null, advice);
    }
}
