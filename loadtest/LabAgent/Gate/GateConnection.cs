using System.Net.Sockets;

namespace DroneDelivery.LabAgent.Gate;

/// <summary>A replica's connection to the gate of its node. Any number of holds may wait at the same time. Thread-safe.</summary>
internal sealed class GateConnection : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);
    private readonly Socket _socket;
    private readonly ReceivedBytes _received;
    private readonly string _path;
    private readonly Lock _lock = new();
    private readonly List<Hold> _holds = [];
    private readonly Stack<Hold> _free = new();
    private readonly TaskCompletionSource<GateLostException?> _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private IdBuffer _waiting = new(), _sending = new();
    private GateLostException? _reason;
    private bool _isSending;
    private volatile bool _isClosed;

    private GateConnection(Socket socket, ReceivedBytes received, string path)
    {
        (_socket, _received, _path) = (socket, received, path);
        new Thread(Read) { Name = "CPU gate", IsBackground = true }.Start();
    }

    /// <summary>Completes when the connection ends: with the reason when it ended by itself, with null when it was closed here.</summary>
    public Task<GateLostException?> Ended => _ended.Task;

    /// <param name="path">Of the lab's socket.</param>
    /// <param name="replica">Its name, by which the lab knows its node: <c>workflow-0</c>.</param>
    /// <param name="cost">CPU time of one hold.</param>
    /// <exception cref="GateLostException">Nobody listens there, or the lab refuses the replica.</exception>
    public static GateConnection Connect(string path, string replica, TimeSpan cost)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            socket.Connect(new UnixDomainSocketEndPoint(path));
            var received = new ReceivedBytes(socket);
            var refusal = Greet(socket, received, GateProtocol.Hello(replica, cost));
            return refusal.Length == 0
                ? new(socket, received, path)
                : throw new GateLostException($"The CPU gate at {path} refuses {replica}: {refusal}");
        }
        catch (Exception exception)
        {
            socket.Dispose();
            if (exception is SocketException or ArgumentException)
                throw new GateLostException($"There is no CPU gate at {path}: {exception.Message}", exception);
            throw;
        }
    }

    /// <summary>
    /// Waits until the node has given this replica one hold's CPU time. It cannot be taken back, as CPU time cannot: so there is no
    /// cancellation. Await the result once.
    /// </summary>
    /// <exception cref="GateLostException">The lab is gone.</exception>
    public ValueTask HoldAsync()
    {
        ValueTask wait;
        lock (_lock)
        {
            if (_reason is { } reason)
                return ValueTask.FromException(reason);
            var hold = _free.TryPop(out var used) ? used : AddHold();
            wait = hold.Begin();
            _waiting.Add(hold.Id);
            if (_isSending)
                return wait; // whoever sends takes it along
            _isSending = true;
        }

        Send();
        return wait;
    }

    public async ValueTask DisposeAsync()
    {
        // A host may be stopped twice.
        lock (_lock)
        {
            if (_isClosed)
                return;
            _isClosed = true;
        }

        _socket.Shutdown(SocketShutdown.Both); // ends the wait of the thread that reads
        await _ended.Task;
        _socket.Dispose();
    }

    private static string Greet(Socket socket, ReceivedBytes received, byte[] hello)
    {
        socket.Send(hello);
        string? refusal;
        while ((refusal = GateProtocol.TakeText(received)) is null)
        {
            if (!socket.Poll(Patience, SelectMode.SelectRead))
                throw new SocketException((int)SocketError.TimedOut);
            if (!received.Receive())
                throw new SocketException((int)SocketError.ConnectionReset);
        }

        return refusal;
    }

    private Hold AddHold()
    {
        var hold = new Hold(_holds.Count, Free);
        _holds.Add(hold);
        return hold;
    }

    private void Free(Hold hold)
    {
        lock (_lock)
            _free.Push(hold);
    }

    private void Send()
    {
        try
        {
            while (TakeWaiting())
            {
                while (!_sending.IsEmpty)
                    _sending.Drop(_socket.Send(_sending.Bytes));
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            Lose(exception.Message, exception);
        }
    }

    private bool TakeWaiting()
    {
        lock (_lock)
        {
            (_waiting, _sending) = (_sending, _waiting);
            return _isSending = !_sending.IsEmpty;
        }
    }

    private void Read()
    {
        try
        {
            do
            {
                while (GateProtocol.TryTakeId(_received, out var id))
                    TakePending(id)?.End();
            }
            while (_received.Receive());
            Lose("the lab closed the connection.");
        }
        catch (SocketException exception)
        {
            Lose(exception.Message, exception);
        }
    }

    private Hold? TakePending(int id)
    {
        lock (_lock)
        {
            if (id < 0 || id >= _holds.Count || !_holds[id].IsPending)
                return null;
            _holds[id].IsPending = false;
            return _holds[id];
        }
    }

    private void Lose(string cause, Exception? exception = null)
    {
        var reason = new GateLostException(
            _isClosed ? $"The connection to the CPU gate at {_path} was closed here." : $"The CPU gate at {_path} is gone: {cause}",
            exception);
        List<Hold> pending;
        lock (_lock)
        {
            _reason ??= reason;
            pending = _holds.FindAll(hold => hold.IsPending);
            pending.ForEach(hold => hold.IsPending = false);
        }

        pending.ForEach(hold => hold.Fail(reason));
        _ended.TrySetResult(_isClosed ? null : reason);
    }
}
