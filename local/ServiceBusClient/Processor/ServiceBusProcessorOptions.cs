namespace Azure.Messaging.ServiceBus;

public class ServiceBusProcessorOptions
{
    private int _prefetchCount;
    private int _maxConcurrentCalls = 1;
    private TimeSpan _maxAutoLockRenewalDuration = TimeSpan.FromMinutes(5);

    /// <summary>Messages that the broker may hand out before a handler is free. Caps the concurrency when it is not 0. Default 0.</summary>
    public int PrefetchCount
    {
        get => _prefetchCount;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value, nameof(PrefetchCount));
            _prefetchCount = value;
        }
    }

    public ServiceBusReceiveMode ReceiveMode { get; set; } = ServiceBusReceiveMode.PeekLock;

    /// <summary>Whether a message is completed when its handler returns, unless the handler has settled it. Default true.</summary>
    public bool AutoCompleteMessages { get; set; } = true;

    /// <summary>For how long a message's lock is renewed while its handler runs; zero: never, infinite: always.
    /// Default 5 minutes.</summary>
    public TimeSpan MaxAutoLockRenewalDuration
    {
        get => _maxAutoLockRenewalDuration;
        set
        {
            if (value != Timeout.InfiniteTimeSpan)
                ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero, nameof(MaxAutoLockRenewalDuration));
            _maxAutoLockRenewalDuration = value;
        }
    }

    /// <summary>Handlers that run at the same time. Default 1.</summary>
    public int MaxConcurrentCalls
    {
        get => _maxConcurrentCalls;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1, nameof(MaxConcurrentCalls));
            _maxConcurrentCalls = value;
        }
    }

    public SubQueue SubQueue { get; set; } = SubQueue.None;

    public string? Identifier { get; set; }

    internal ServiceBusProcessorOptions Clone() => (ServiceBusProcessorOptions)MemberwiseClone();
}
