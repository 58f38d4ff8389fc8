using System.Collections.Concurrent;
using System.Net.Sockets;

namespace DroneDelivery.LabAgent.Gate;

/// <summary>A replica's connection to the gate of its node. Any number of holds may wait at the same time. Thread-safe.</summary>
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

    /// <summary>
    /// Waits until the node has given this replica one hold's CPU time. It cannot be taken back, as CPU time cannot: so there is no
    /// cancellation.
    /// </summary>
    /// <exception cref="GateLostException">The lab is gone.</exception>
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
            return; // a host may be stopped twice
        _socket.Shutdown(SocketShutdown.Both); // ends the wait of the thread that reads
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
