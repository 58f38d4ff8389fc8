using System.Runtime.CompilerServices;

namespace Azure.Messaging.ServiceBus;

/// <summary>How often, after which waits and for how long an operation is tried.</summary>
public class ServiceBusRetryOptions
{
    private int _maxRetries = 3;
    private TimeSpan _delay = TimeSpan.FromSeconds(0.8);
    private TimeSpan _maxDelay = TimeSpan.FromMinutes(1);
    private TimeSpan _tryTimeout = TimeSpan.FromMinutes(1);

    public ServiceBusRetryMode Mode { get; set; } = ServiceBusRetryMode.Exponential;

    /// <summary>Tries after the first one. 0 to 100, default 3.</summary>
    public int MaxRetries { get => _maxRetries; set => _maxRetries = InRange(value, 0, 100); }

    /// <summary>Half of the first (exponential) or every (fixed) wait between tries. 1 ms to 5 minutes, default 0.8 s.</summary>
    public TimeSpan Delay { get => _delay; set => _delay = InRange(value, TimeSpan.FromMilliseconds(1), TimeSpan.FromMinutes(5)); }

    /// <summary>Longest wait between tries; zero: one try only. Not negative, default 60 s.</summary>
    public TimeSpan MaxDelay { get => _maxDelay; set => _maxDelay = InRange(value, TimeSpan.Zero, TimeSpan.MaxValue); }

    /// <summary>Longest time of one try, and the default wait of a receive. Positive, at most 1 hour, default 60 s.</summary>
    public TimeSpan TryTimeout { get => _tryTimeout; set => _tryTimeout = InRange(value, TimeSpan.FromTicks(1), TimeSpan.FromHours(1)); }

    /// <summary>Takes the place of everything else here. Default: none.</summary>
    public ServiceBusRetryPolicy? CustomRetryPolicy { get; set; }

    /// <summary>Longest time of the first try.</summary>
    internal TimeSpan FirstTryTimeout => TryTimeoutOf(0);

    /// <param name="attempts">Tries so far.</param>
    internal TimeSpan TryTimeoutOf(int attempts) => CustomRetryPolicy?.CalculateTryTimeout(attempts) ?? TryTimeout;

    internal ServiceBusRetryOptions Clone() => (ServiceBusRetryOptions)MemberwiseClone();

    private static T InRange<T>(T value, T lowest, T highest, [CallerMemberName] string? option = null) where T : IComparable<T> =>
        value.CompareTo(lowest) >= 0 && value.CompareTo(highest) <= 0
            ? value
            : throw new ArgumentOutOfRangeException(
                option, value, $"{nameof(ServiceBusRetryOptions)}.{option} has to be between {lowest} and {highest}.");
}
