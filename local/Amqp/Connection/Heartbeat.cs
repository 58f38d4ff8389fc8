namespace DroneDelivery.Amqp;

/// <summary>Implements the idle timeout (AMQP 1.0 §2.4.5): sends an empty frame at half of the peer's timeout, and ends
/// the connection if nothing was received for twice its own.</summary>
internal sealed class Heartbeat : IDisposable
{
    // In milliseconds. Tiny timeouts would flood the connection.
    private const double MinInterval = 50;

    private readonly AmqpConnection _connection;
    private readonly TimeProvider _clock;
    private readonly TimeSpan _timeout;
    private readonly ITimer? _beat;
    private readonly ITimer? _watch;
    private long _lastReceived;
    private long _written;
    private volatile bool _isReadingPaused;

    public Heartbeat(AmqpConnection connection, AmqpConnectionOptions options)
    {
        _connection = connection;
        _clock = options.TimeProvider;
        _timeout = 2 * options.IdleTimeout;
        _lastReceived = _clock.GetTimestamp();
        if (connection.RemoteOpen.IdleTimeout is > 0 and var idle)
        {
            var interval = TimeSpan.FromMilliseconds(Math.Max(idle / 2d, MinInterval));
            _beat = _clock.CreateTimer(
                static c => ((AmqpConnection)c!).WriteHeartbeat(),
                connection,
                interval,
                interval
            );
        }
        if (_timeout > TimeSpan.Zero)
            _watch = _clock.CreateTimer(static h => ((Heartbeat)h!).Watch(), this, _timeout, Timeout.InfiniteTimeSpan);
    }

    public void Received() => Volatile.Write(ref _lastReceived, _clock.GetTimestamp());

    /// <summary>While reading is paused, the peer counts as alive if it accepts data.</summary>
    public void PauseReading() => _isReadingPaused = true;

    public void ResumeReading()
    {
        Received();
        _isReadingPaused = false;
    }

    public void Dispose()
    {
        _beat?.Dispose();
        _watch?.Dispose();
    }

    private void Watch()
    {
        // In this order: a pause that ends in between updates the time first.
        var isPaused = _isReadingPaused;
        var left = _timeout - _clock.GetElapsedTime(Volatile.Read(ref _lastReceived));
        if (isPaused && HasWritten())
            left = _timeout;
        if (left > TimeSpan.Zero)
        {
            _watch?.Change(left, Timeout.InfiniteTimeSpan);
        }
        else
        {
            _connection.CloseWithoutWaiting(
                new AmqpError(ErrorConditions.ResourceLimitExceeded, $"no data was received for {_timeout}")
            );
        }
    }

    private bool HasWritten()
    {
        var before = _written;
        return (_written = _connection.Outbox.Written) != before;
    }
}
