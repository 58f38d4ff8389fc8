namespace DroneDelivery.Model.Simulation;

/// <summary>Simulated time: ticks of 100 ns since the first request, as integers so that times compare exactly.</summary>
internal static class Time
{
    public const long Never = long.MaxValue;

    private const double PerSecond = TimeSpan.TicksPerSecond,
        PerMillisecond = TimeSpan.TicksPerMillisecond;

    public static long FromSeconds(double seconds) => (long)Math.Round(seconds * PerSecond);

    public static long FromMilliseconds(double milliseconds) => (long)Math.Round(milliseconds * PerMillisecond);

    public static double Seconds(long time) => time / PerSecond;

    public static double Milliseconds(long time) => time / PerMillisecond;
}
