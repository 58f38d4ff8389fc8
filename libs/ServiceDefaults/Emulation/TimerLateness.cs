namespace DroneDelivery.ServiceDefaults.Emulation;

/// <summary>How much later than asked for timers come: an exponential moving average. Thread-safe.</summary>
internal sealed class TimerLateness
{
    private const double Weight = 1 / 32.0; // of one timer
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

    /// <param name="late">Of one timer; negative where it came early.</param>
    public void Add(TimeSpan late)
    {
        lock (_lock)
            _milliseconds += Weight * (late.TotalMilliseconds - _milliseconds);
    }
}
