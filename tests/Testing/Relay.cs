using System.Net;
using System.Net.Sockets;

namespace DroneDelivery.Testing;

/// <summary>A TCP proxy. It can close a connection instead of forwarding what the caller writes.</summary>
public sealed class Relay : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stop = new();
    private readonly Func<ReadOnlyMemory<byte>, bool> _isLast;
    private readonly Task _accepting;

    /// <param name="isLast">
    /// Returns <c>true</c> if the connection ends instead of forwarding this; by default, never.
    /// </param>
    public Relay(int target, Func<ReadOnlyMemory<byte>, bool>? isLast = null)
    {
        (Target, _isLast) = (target, isLast ?? (_ => false));
        _listener.Start();
        _accepting = AcceptAsync();
    }

    /// <summary>The server's port. Open connections keep theirs.</summary>
    public int Target { get; set; }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _accepting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _listener.Dispose();
        _stop.Dispose();
    }

    private async Task AcceptAsync()
    {
        var relays = new List<Task>();
        while (!_stop.IsCancellationRequested)
            relays.Add(RelayAsync(await _listener.AcceptTcpClientAsync(_stop.Token)));
        await Task.WhenAll(relays);
    }

    private async Task RelayAsync(TcpClient caller)
    {
        using var server = new TcpClient();
        using (caller)
        {
            await server.ConnectAsync(IPAddress.Loopback, Target, _stop.Token);
            await Task.WhenAny(
                PassOnAsync(caller, server),
                server.GetStream().CopyToAsync(caller.GetStream(), _stop.Token)
            );
        }
    }

    private async Task PassOnAsync(TcpClient caller, TcpClient server)
    {
        var buffer = new byte[64 * 1024];
        while (
            await caller.GetStream().ReadAsync(buffer, _stop.Token) is > 0 and var length
            && !_isLast(buffer.AsMemory(0, length))
        )
        {
            await server.GetStream().WriteAsync(buffer.AsMemory(0, length), _stop.Token);
        }
    }
}
