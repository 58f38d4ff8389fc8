namespace DroneDelivery.LabAgent.Emulation;

/// <summary>How much later than it should something comes: an exponential moving average. Thread-safe.</summary>
internal sealed class MeanLateness
{
    private const double Weight = 1 / 32.0; // of one time

    /// <summary>What is later than this says that the machine is busy, and nothing of the next time.</summary>
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

    /// <param name="late">Of one time; negative where it came early.</param>
    public void Add(TimeSpan late)
    {
        var counted = late < Longest ? late : Longest;
        lock (_lock)
            _milliseconds += Weight * (counted.TotalMilliseconds - _milliseconds);
    }
}
