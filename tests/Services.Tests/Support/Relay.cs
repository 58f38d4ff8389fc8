using System.Net;
using System.Net.Sockets;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>Stands before a server that keeps its data: cut, it looks as if the server were away; mended, as if it were back.</summary>
internal sealed class Relay : IAsyncDisposable
{
    private readonly int _target;
    private readonly ReservedPort _port = new();
    private readonly Lock _lock = new();
    private readonly List<TcpClient> _connections = [];
    private readonly List<Task> _relays = [];
    private TcpListener _listener;
    private Task _accepting;
    private Func<ReadOnlyMemory<byte>, bool> _isLast = _ => false;

    private Relay(int target)
    {
        _target = target;
        _listener = Listen(Port);
        _accepting = AcceptAsync(_listener);
    }

    public int Port => _port.Number;

    /// <param name="target">Port of the server.</param>
    public static Relay Start(int target) => new(target);

    /// <summary>Refuses connections, and ends those that there are.</summary>
    public async Task CutAsync()
    {
        _listener.Stop();
        await _accepting;
        lock (_lock)
        {
            _connections.ForEach(connection => connection.Dispose());
            _connections.Clear();
        }
        await Task.WhenAll(_relays);
        _relays.Clear();
    }

    /// <summary>Ends a connection in the place of passing on what its caller writes.</summary>
    /// <param name="isLast">Whether a write is the last that the caller gets to make.</param>
    public void CutAt(Func<ReadOnlyMemory<byte>, bool> isLast) => _isLast = isLast;

    public void Mend()
    {
        _listener = Listen(Port);
        _accepting = AcceptAsync(_listener);
    }

    public async ValueTask DisposeAsync()
    {
        await CutAsync();
        _port.Dispose();
    }

    private static TcpListener Listen(int port)
    {
        var listener = new TcpListener(IPAddress.Loopback, port);
        listener.Start();
        return listener;
    }

    private async Task AcceptAsync(TcpListener listener)
    {
        try
        {
            while (true)
                _relays.Add(RelayAsync(await listener.AcceptTcpClientAsync()));
        }
        catch (Exception exception) when (exception is SocketException or InvalidOperationException)
        {
            // cut, while it waited for a connection or between two
        }
    }

    private async Task RelayAsync(TcpClient caller)
    {
        var server = new TcpClient();
        lock (_lock)
            _connections.AddRange([caller, server]);
        try
        {
            await server.ConnectAsync(IPAddress.Loopback, _target);
            await Task.WhenAny(
                PassOnAsync(caller.GetStream(), server.GetStream()), server.GetStream().CopyToAsync(caller.GetStream()));
        }
        catch (Exception exception) when (exception
            is IOException or SocketException or ObjectDisposedException or InvalidOperationException)
        {
            // cut, or the server ended the connection
        }
        finally
        {
            caller.Dispose();
            server.Dispose();
        }
    }

    private async Task PassOnAsync(NetworkStream caller, NetworkStream server)
    {
        var buffer = new byte[64 * 1024];
        while (await caller.ReadAsync(buffer) is > 0 and var length && !_isLast(buffer.AsMemory(0, length)))
            await server.WriteAsync(buffer.AsMemory(0, length));
    }
}
