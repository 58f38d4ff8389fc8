using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;

namespace DroneDelivery.Amqp;

/// <summary>The send queue of a connection. Frames are encoded into one buffer under the connection's lock while one
/// loop sends the other.</summary>
/// <param name="backlog">The number of unsent bytes that count as a backlog.</param>
/// <param name="beforeSend">Called under the lock before each send, to write frames that were held back.</param>
/// <param name="onDrained">Called on the loop when a backlog has fallen to half, or after <see
/// cref="ScheduleDrainedCallback"/>.</param>
internal sealed class Outbox(PipeWriter pipe, Lock gate, int backlog, Action beforeSend, Action onDrained)
    : IValueTaskSource,
        IThreadPoolWorkItem,
        IDisposable
{
    // While the read loop processes input, responses are collected up to this many bytes.
    private const int CorkLimit = 64 * 1024;

    // Reading pauses at this multiple of the backlog.
    private const int FullFactor = 4;

    // The transport copies its input, and progress is visible only between two writes.
    private const int WriteLimit = 256 * 1024;

    // Larger buffers are released after use.
    private const int MaxKeptCapacity = 1024 * 1024;

    // The waking thread runs the loop, never under the lock.
    private ManualResetValueTaskSourceCore<bool> _wake;
    private AmqpWriter _spare = new(16 * 1024);
    private TaskCompletionSource? _room;
    private int _sending;
    private long _written;
    private bool _isWaiting;
    private bool _isOnReadLoop;
    private bool _corked;
    private bool _completed;
    private bool _isDrainPending;
    private bool _isNeverFull;
    private volatile bool _backlogged;
    private volatile bool _full;

    /// <summary>The buffer for new frames. Write under the lock, and then call <see cref="Wake"/>.</summary>
    public AmqpWriter Writer { get; private set; } = new(16 * 1024);

    public bool IsBacklogged => _backlogged;

    /// <summary><c>true</c> if reading must pause because too much is unsent. Ends with the backlog.</summary>
    public bool IsFull => _full;

    /// <summary>The number of unsent bytes. Requires the lock.</summary>
    public int Unsent => Writer.Length + _sending;

    public int Capacity => Writer.Capacity + _spare.Capacity;

    public long Written => Interlocked.Read(ref _written);

    public void Wake()
    {
        if (Unsent > backlog)
            CountBacklog();
        if (!_corked || Writer.Length >= CorkLimit)
            WakeLater();
    }

    /// <summary>Completes when the outbox isn't full.</summary>
    public Task RoomAsync()
    {
        lock (gate)
        {
            if (!_full)
                return Task.CompletedTask;
            _room ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _room.Task;
        }
    }

    public void DisableBackpressure()
    {
        _isNeverFull = true;
        MakeRoom();
    }

    public void ScheduleDrainedCallback()
    {
        _isDrainPending = true;
        WakeLater();
    }

    public void Cork()
    {
        lock (gate)
            _corked = true;
    }

    /// <summary>Sends the collected frames on this thread unless the loop is already active.</summary>
    public void Uncork()
    {
        lock (gate)
        {
            beforeSend();
            _corked = false;
            if (Writer.Length == 0 || !_isWaiting)
                return;
            _isWaiting = false;
            _isOnReadLoop = true;
        }
        _wake.SetResult(true);
    }

    public void Complete()
    {
        _completed = true;
        _corked = false;
        Wake();
    }

    public void Dispose()
    {
        lock (gate)
            ReleaseBuffers();
    }

    /// <summary>Sends until <see cref="Complete"/>, or until the transport fails.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        try
        {
            while (await NextAsync() is { } full)
            {
                for (var sent = 0; sent < full.Length; sent += WriteLimit)
                {
                    var part = full.WrittenMemory[sent..Math.Min(sent + WriteLimit, full.Length)];
                    var result = await pipe.WriteAsync(part, cancellationToken);
                    if (result.IsCompleted)
                        return;
                    Interlocked.Add(ref _written, part.Length);
                }
                Sent(full);
                if (MustLeaveReadLoop())
                    await Task.Yield();
            }
        }
        catch (Exception e) when (TransportFailure.Is(e)) { }
        finally
        {
            lock (gate)
            {
                _backlogged = false;
                DisableBackpressure();
            }
        }
    }

    void IThreadPoolWorkItem.Execute() => _wake.SetResult(true);

    private void WakeLater()
    {
        if (!_isWaiting)
            return;
        _isWaiting = false;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Returns the buffer to send; <c>null</c> at the end. Pooled, because it waits after each message of
    /// clients without prefetch.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<AmqpWriter?> NextAsync()
    {
        while (true)
        {
            bool hasRoom;
            lock (gate)
            {
                beforeSend();
                if (Writer.Length > 0)
                    return Swap();
                if (_completed)
                    return null;
                hasRoom = TakeDrainPending();
                if (!hasRoom)
                    BeginWait();
            }
            if (hasRoom)
                onDrained();
            else
                await new ValueTask(this, _wake.Version);
        }
    }

    private void BeginWait()
    {
        ReleaseBuffers();
        _wake.Reset();
        _isWaiting = true;
    }

    /// <summary>Releases the empty buffers while the connection is idle.</summary>
    private void ReleaseBuffers()
    {
        Writer.Dispose();
        _spare.Dispose();
    }

    /// <summary>Returns <c>true</c> if the read loop must continue reading although other threads have written
    /// more.</summary>
    private bool MustLeaveReadLoop()
    {
        lock (gate)
        {
            var must = _isOnReadLoop && Writer.Length > 0;
            _isOnReadLoop = false;
            return must;
        }
    }

    private AmqpWriter Swap()
    {
        (Writer, _spare) = (_spare, Writer);
        _sending = _spare.Length;
        return _spare;
    }

    private void CountBacklog()
    {
        _backlogged = true;
        if (Unsent > FullFactor * (long)backlog)
            _full = !_isNeverFull;
    }

    private void MakeRoom()
    {
        if (!_full)
            return;
        _full = false;
        _room?.SetResult();
        _room = null;
    }

    private bool TakeDrainPending()
    {
        var hasRoom = _isDrainPending;
        _isDrainPending = false;
        return hasRoom;
    }

    private void Sent(AmqpWriter buffer)
    {
        bool drained;
        lock (gate)
        {
            _sending = 0;
            drained = TakeDrainPending();
            if (Writer.Length <= backlog)
                MakeRoom();
            if (_backlogged && Writer.Length <= backlog / 2)
            {
                _backlogged = false;
                drained = true;
            }
        }
        if (buffer.Length > MaxKeptCapacity)
            buffer.Dispose();
        buffer.Clear();
        if (drained)
            onDrained();
    }

    void IValueTaskSource.GetResult(short token) => _wake.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _wake.GetStatus(token);

    void IValueTaskSource.OnCompleted(
        Action<object?> continuation,
        object? state,
        short token,
        ValueTaskSourceOnCompletedFlags flags
    ) => _wake.OnCompleted(continuation, state, token, flags);
}
