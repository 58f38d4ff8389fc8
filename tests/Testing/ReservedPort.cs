using System.Net;
using System.Net.Sockets;

namespace DroneDelivery.Testing;

/// <summary>
/// A port of this machine for a server that starts later, or again. In the meantime, no server that requests any port
/// and no outgoing connection gets it. On Linux, a server can still bind this specific port, because the socket that
/// reserves it doesn't listen. Other systems don't allow that, so there it is only a port that was available.
/// </summary>
public sealed class ReservedPort : IDisposable
{
    private readonly Socket _keeper = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    public ReservedPort()
    {
        _keeper.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        Number = ((IPEndPoint)_keeper.LocalEndPoint!).Port;
        if (!OperatingSystem.IsLinux())
            _keeper.Dispose();
    }

    public int Number { get; }

    public void Dispose() => _keeper.Dispose();
}
