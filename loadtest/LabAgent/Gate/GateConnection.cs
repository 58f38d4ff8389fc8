using System.Collections.Concurrent;
using System.Net.Sockets;

namespace DroneDelivery.LabAgent.Gate;

/// <summary>A replica's connection to the gate of its node. Supports concurrent holds. Thread-safe.</summary>
internal sealed class GateConnection : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    private readonly string _path;
    private readonly Socket _socket;
    private readonly BinaryReader _reader;
    private readonly BinaryWriter _writer;
    private readonly Lock _writing = new();
    private readonly ConcurrentDictionary<int, TaskCompletionSource> _holds = [];
    private readonly TaskCompletionSource<GateLostException?> _ended = new(
        TaskCreationOptions.RunContinuationsAsynchronously
    );
    private volatile GateLostException? _lost;
    private int _lastId;
    private bool _isClosed;

    private GateConnection(string path, Socket socket)
    {
        var stream = new NetworkStream(socket);
        (_path, _socket, _reader, _writer) = (path, socket, new(stream), new(stream));
    }

    /// <summary>Completes when the connection ends, with an error unless this side closed it.</summary>
    public Task<GateLostException?> Ended => _ended.Task;

    /// <param name="replica">The replica, for example <c>workflow-0</c>, which determines its node.</param>
    /// <exception cref="GateLostException">The lab doesn't listen, or it rejects the replica.</exception>
    public static GateConnection Connect(string path, string replica, TimeSpan cost)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            socket.Connect(new UnixDomainSocketEndPoint(path));
            var connection = new GateConnection(path, socket);
            if (connection.Greet(replica, cost) is { Length: > 0 } refusal)
                throw new GateLostException($"The CPU gate at {path} refuses {replica}: {refusal}");
            new Thread(connection.Read) { Name = "CPU gate", IsBackground = true }.Start();
            return connection;
        }
        catch (Exception exception)
        {
            socket.Dispose();
            if (exception is SocketException or ArgumentException or IOException)
                throw new GateLostException($"There is no CPU gate at {path}: {exception.Message}", exception);
            throw;
        }
    }

    /// <summary>Waits until the node has spent one hold's CPU time, which can't be returned, so there is no cancellation.</summary>
    /// <exception cref="GateLostException">The lab has exited.</exception>
    public Task HoldAsync()
    {
        var hold = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        try
        {
            lock (_writing)
            {
                _holds[++_lastId] = hold;
                _writer.Write(_lastId);
            }
        }
        catch (Exception exception) when (exception is IOException or ObjectDisposedException)
        {
            Lose(exception.Message, exception);
        }
        if (_lost is { } lost)
            hold.TrySetException(lost);
        return hold.Task;
    }

    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isClosed, true))
            return;
        _socket.Shutdown(SocketShutdown.Both); // unblocks the thread that reads
        await _ended.Task;
        _socket.Dispose();
    }

    private string Greet(string replica, TimeSpan cost)
    {
        _writer.Write(GateProtocol.Version);
        _writer.Write(checked((int)cost.TotalMicroseconds));
        _writer.Write(replica);
        _socket.ReceiveTimeout = (int)Patience.TotalMilliseconds;
        var refusal = _reader.ReadString();
        _socket.ReceiveTimeout = 0;
        return refusal;
    }

    private void Read()
    {
        try
        {
            while (true)
            {
                if (_holds.TryRemove(_reader.ReadInt32(), out var hold))
                    hold.TrySetResult();
            }
        }
        catch (EndOfStreamException exception)
        {
            Lose("the lab closed the connection.", exception);
        }
        catch (IOException exception)
        {
            Lose(exception.Message, exception);
        }
    }

    private void Lose(string cause, Exception exception)
    {
        var lost = _lost = new GateLostException(
            _isClosed
                ? $"The connection to the CPU gate at {_path} was closed here."
                : $"The CPU gate at {_path} is gone: {cause}",
            exception
        );
        foreach (var hold in _holds.Values)
            hold.TrySetException(lost);
        _ended.TrySetResult(_isClosed ? null : lost);
    }
}
