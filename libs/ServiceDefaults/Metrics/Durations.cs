using System.Diagnostics.Metrics;

namespace DroneDelivery.ServiceDefaults.Metrics;

/// <summary>Histograms of seconds. The bounds go with the instrument: those of a collector are made for milliseconds.</summary>
public static class Durations
{
    private static readonly double[] Usual =
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

    /// <param name="bounds">Upper bounds of its buckets, in seconds; none: 5 ms to 30 s.</param>
    public static Histogram<double> CreateDuration(
        this Meter meter,
        string name,
        string description,
        params double[] bounds
    )
    {
        var advice = new InstrumentAdvice<double>
        {
            HistogramBucketBoundaries = bounds is { Length: > 0 } ? bounds : Usual,
        };
        return meter.CreateHistogram(name, "s", description, tags: null, advice);
    }
}
