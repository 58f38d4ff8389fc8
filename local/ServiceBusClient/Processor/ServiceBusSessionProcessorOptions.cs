namespace Azure.Messaging.ServiceBus;

public class ServiceBusSessionProcessorOptions
{
    private int _prefetchCount;
    private int _maxConcurrentSessions = 8;
    private int _maxConcurrentCallsPerSession = 1;
    private TimeSpan _maxAutoLockRenewalDuration = TimeSpan.FromMinutes(5);
    private TimeSpan? _sessionIdleTimeout;

    /// <summary>Messages of a session that the broker may hand out before a handler is free. Default 0.</summary>
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

    /// <summary>For how long the lock on a session is renewed, from its acceptance; zero: never, infinite: always. Default 5
    /// minutes.</summary>
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

    /// <summary>After so long without a message a session is closed for another one. Not if <see cref="SessionIds"/> names sessions, and
    /// all of them may be open at the same time. Default: <see cref="ServiceBusRetryOptions.TryTimeout"/>.</summary>
    public TimeSpan? SessionIdleTimeout
    {
        get => _sessionIdleTimeout;
        set
        {
            if (value is { } time)
                ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(time, TimeSpan.Zero, nameof(SessionIdleTimeout));
            _sessionIdleTimeout = value;
        }
    }

    /// <summary>Sessions that are open at the same time. Default 8.</summary>
    public int MaxConcurrentSessions
    {
        get => _maxConcurrentSessions;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1, nameof(MaxConcurrentSessions));
            _maxConcurrentSessions = value;
        }
    }

    /// <summary>Handlers that run at the same time for one session. Default 1, which keeps the order of its messages.</summary>
    public int MaxConcurrentCallsPerSession
    {
        get => _maxConcurrentCallsPerSession;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1, nameof(MaxConcurrentCallsPerSession));
            _maxConcurrentCallsPerSession = value;
        }
    }

    /// <summary>The only sessions that are accepted; none: whichever has messages.</summary>
    public IList<string> SessionIds { get; private set; } = [];

    public string? Identifier { get; set; }

    internal ServiceBusSessionProcessorOptions Clone()
    {
        var clone = (ServiceBusSessionProcessorOptions)MemberwiseClone();
        clone.SessionIds = [.. SessionIds];
        return clone;
    }
}
