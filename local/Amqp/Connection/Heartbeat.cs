namespace DroneDelivery.Amqp;

/// <summary>
/// Both directions of the idle timeout (AMQP 1.0 §2.4.5): an empty frame at half of the peer's, and the end of a connection on
/// which nothing has come for twice our own (nor anything gone, while this end does not read).
/// </summary>
internal sealed class Heartbeat : IDisposable
{
    // Milliseconds. A peer that asks for less would have us send nothing else.
    private const double ShortestInterval = 50;

    private readonly AmqpConnection _connection;
    private readonly TimeProvider _clock;
    private readonly TimeSpan _patience;
    private readonly ITimer? _beat;
    private readonly ITimer? _watch;
    private long _lastReceived;
    private long _written;
    private volatile bool _isReadingPaused;

    public Heartbeat(AmqpConnection connection, AmqpConnectionOptions options)
    {
        _connection = connection;
        _clock = options.TimeProvider;
        _patience = 2 * options.IdleTimeout;
        _lastReceived = _clock.GetTimestamp();
        if (connection.RemoteOpen.IdleTimeout is > 0 and var idle)
        {
            var interval = TimeSpan.FromMilliseconds(Math.Max(idle / 2d, ShortestInterval));
            _beat = _clock.CreateTimer(
                static c => ((AmqpConnection)c!).WriteHeartbeat(),
                connection,
                interval,
                interval
            );
        }
        if (_patience > TimeSpan.Zero)
            _watch = _clock.CreateTimer(static h => ((Heartbeat)h!).Watch(), this, _patience, Timeout.InfiniteTimeSpan);
    }

    public void Received() => Volatile.Write(ref _lastReceived, _clock.GetTimestamp());

    /// <summary>From now on a peer is alive as long as it takes what is sent.</summary>
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
        // In this order: a pause that ends meanwhile has set the time before.
        var isPaused = _isReadingPaused;
        var left = _patience - _clock.GetElapsedTime(Volatile.Read(ref _lastReceived));
        if (isPaused && HasWritten())
            left = _patience;
        if (left > TimeSpan.Zero)
        {
            _watch?.Change(left, Timeout.InfiniteTimeSpan);
        }
        else
        {
            _connection.GiveUp(
                new AmqpError(ErrorConditions.ResourceLimitExceeded, $"nothing was received for {_patience}")
            );
        }
    }

    private bool HasWritten()
    {
        var before = _written;
        return (_written = _connection.Outbox.Written) != before;
    }
}
