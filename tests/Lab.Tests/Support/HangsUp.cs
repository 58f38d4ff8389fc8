using System.Net.Sockets;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>Listens where a service was that is away: ends each connection at once, and counts.</summary>
internal sealed class HangsUp : IAsyncDisposable
{
    private readonly TcpListener _listener;
    private readonly Task _accepting;
    private int _calls;

    private HangsUp(int port)
    {
        _listener = new(IPAddress.Loopback, port);
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public int Calls => Volatile.Read(ref _calls);

    public static HangsUp At(int port) => new(port);

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        await _accepting;
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                using var connection = await _listener.AcceptSocketAsync();
                Interlocked.Increment(ref _calls);
                connection.LingerState = new(enable: true, seconds: 0); // leaves the port free for the service
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // stopped
        }
    }
}
