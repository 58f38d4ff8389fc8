using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;

namespace DroneDelivery.Amqp;

/// <summary>
/// What waits to be sent. Frames are encoded into one buffer under the connection's lock while one loop sends the other, so that all
/// that is written during a send leaves with the next one.
/// </summary>
/// <param name="backlog">unsent bytes that count as a backlog</param>
/// <param name="beforeSend">called under the lock: last chance to write what was held back to be sent together</param>
/// <param name="onDrained">called on the loop: a backlog has gone down to half, or <see cref="ScheduleDrainedCallback"/> was called</param>
internal sealed class Outbox(PipeWriter pipe, Lock gate, int backlog, Action beforeSend, Action onDrained)
    : IValueTaskSource,
        IThreadPoolWorkItem,
        IDisposable
{
    // While the read loop works through what has arrived its answers are gathered, up to this many bytes.
    private const int CorkLimit = 64 * 1024;

    // Reading pauses at this multiple of the backlog. Messages of the broker stop long before.
    private const int FullFactor = 4;

    // A transport copies what it is given, and only between two writes can be seen that the peer takes something.
    private const int WriteLimit = 256 * 1024;

    // A buffer that grew in a backlog is not kept.
    private const int KeepLimit = 1024 * 1024;

    // Whoever wakes the loop runs it, never under the lock.
    private ManualResetValueTaskSourceCore<bool> _wake;
    private AmqpWriter _spare = new(16 * 1024);
    private TaskCompletionSource? _room;
    private int _sending;
    private long _written;
    private bool _asleep;
    private bool _isOnReadLoop;
    private bool _corked;
    private bool _completed;
    private bool _hasRoomToTell;
    private bool _isNeverFull;
    private volatile bool _backlogged;
    private volatile bool _full;

    /// <summary>To be written to under the lock, then <see cref="Wake"/>.</summary>
    public AmqpWriter Writer { get; private set; } = new(16 * 1024);

    public bool IsBacklogged => _backlogged;

    /// <summary>So much waits that nothing may be read which would be answered. It ends when a backlog is left.</summary>
    public bool IsFull => _full;

    /// <summary>What the transport has not taken yet. Under the lock, or bytes that change buffers would be counted twice.</summary>
    public int Unsent => Writer.Length + _sending;

    /// <summary>Memory that it has for what it writes, in bytes.</summary>
    public int Capacity => Writer.Capacity + _spare.Capacity;

    /// <summary>Bytes that the transport has taken.</summary>
    public long Written => Interlocked.Read(ref _written);

    /// <summary>There is something to send.</summary>
    public void Wake()
    {
        if (Unsent > backlog)
            CountBacklog();
        if (!_corked || Writer.Length >= CorkLimit)
            WakeLater();
    }

    /// <summary>Completes when the outbox is not full.</summary>
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

    /// <summary>From now on readers are never paused, however much is unsent.</summary>
    public void DisableBackpressure()
    {
        _isNeverFull = true;
        MakeRoom();
    }

    /// <summary>Calls <c>onDrained</c> for senders that a limit other than the backlog has stopped.</summary>
    public void ScheduleDrainedCallback()
    {
        _hasRoomToTell = true;
        WakeLater();
    }

    public void Cork()
    {
        lock (gate)
            _corked = true;
    }

    /// <summary>Sends on this thread what was gathered, unless the loop is about to: that saves a switch of threads for each
    /// read.</summary>
    public void Uncork()
    {
        lock (gate)
        {
            beforeSend();
            _corked = false;
            if (Writer.Length == 0 || !_asleep)
                return;
            _asleep = false;
            _isOnReadLoop = true;
        }
        _wake.SetResult(true);
    }

    /// <summary>What is there is sent, then the loop ends.</summary>
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

    /// <summary>Sends until <see cref="Complete"/>, or until the transport fails, which the reader of the connection notices too.</summary>
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

    /// <summary>Behind what the pool has to do already: where many send at the same time, what they send leaves together.</summary>
    private void WakeLater()
    {
        if (!_asleep)
            return;
        _asleep = false;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>The buffer to send; null at the end. Pooled: it waits after each message of a client without prefetch.</summary>
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
                hasRoom = TakeRoomToTell();
                if (!hasRoom)
                    FallAsleep();
            }
            if (hasRoom)
                onDrained();
            else
                await new ValueTask(this, _wake.Version);
        }
    }

    private void FallAsleep()
    {
        ReleaseBuffers();
        _wake.Reset();
        _asleep = true;
    }

    /// <summary>Nothing is in them: a connection with nothing to say keeps no memory for it.</summary>
    private void ReleaseBuffers()
    {
        Writer.Dispose();
        _spare.Dispose();
    }

    /// <summary>The read loop sends what it has gathered and reads on: others who write meanwhile must not keep it from that.</summary>
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

    private bool TakeRoomToTell()
    {
        var hasRoom = _hasRoomToTell;
        _hasRoomToTell = false;
        return hasRoom;
    }

    private void Sent(AmqpWriter buffer)
    {
        bool drained;
        lock (gate)
        {
            _sending = 0;
            drained = TakeRoomToTell();
            if (Writer.Length <= backlog)
                MakeRoom();
            if (_backlogged && Writer.Length <= backlog / 2)
            {
                _backlogged = false;
                drained = true;
            }
        }
        if (buffer.Length > KeepLimit)
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
