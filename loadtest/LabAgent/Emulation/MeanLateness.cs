namespace DroneDelivery.LabAgent.Emulation;

/// <summary>An exponential moving average of the lateness of timers. Thread-safe.</summary>
internal sealed class MeanLateness
{
    private const double Weight = 1 / 32.0; // of one sample

    /// <summary>Higher values mean a busy machine and predict nothing.</summary>
    private static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(10);
    private readonly Lock _lock = new();
    private double _milliseconds;

    public TimeSpan Mean
    {
        get
        {
            lock (_lock)
                return TimeSpan.FromMilliseconds(_milliseconds);
        }
    }

    public void Add(TimeSpan late)
    {
        var counted = late < Longest ? late : Longest;
        lock (_lock)
            _milliseconds += Weight * (counted.TotalMilliseconds - _milliseconds);
    }
}
