using System.Net;
using System.Net.Sockets;

namespace DroneDelivery.Testing;

/// <summary>
/// A port of this machine for a server that starts later, or again: nobody who asks for any port, and no outgoing connection, gets it in
/// between. Linux lets a server that asks for this very port have it all the same, because the socket that keeps it does not listen.
/// Other systems do not, so there it is only a port that was free.
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
