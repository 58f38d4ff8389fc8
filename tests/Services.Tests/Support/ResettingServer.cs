using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>
/// Resets each connection once it is established and before its client sends anything, as the kernel does for a process
/// that was just killed. The reset happens inside the client's connect call, so it is never late.
/// </summary>
internal sealed class ResettingServer : IDisposable
{
    private readonly Socket _socket = new(SocketType.Stream, ProtocolType.Tcp);
    private readonly ActivityListener _connects;
    private int _resets;

    public ResettingServer()
    {
        _socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _socket.Listen();
        _connects = new()
        {
            ShouldListenTo = source => source.Name == "Experimental.System.Net.Sockets",
            Sample = (ref _) => ActivitySamplingResult.AllData,
            ActivityStopped = Reset,
        };
        ActivitySource.AddActivityListener(_connects);
    }

    public string Address => $"http://{_socket.LocalEndPoint}";

    public int Resets => _resets;

    public void Dispose()
    {
        _connects.Dispose();
        _socket.Dispose();
    }

    private void Reset(Activity connect)
    {
        if (!Equals(connect.GetTagItem("network.peer.port"), ((IPEndPoint)_socket.LocalEndPoint!).Port))
            return;
        _socket.Accept().Close(timeout: 0);
        Interlocked.Increment(ref _resets);
    }
}
