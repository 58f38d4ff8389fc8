using System.Net.Sockets;

namespace DroneDelivery.LabAgent.Gate;

/// <summary>What has come over a socket and is not understood yet. One thread at a time.</summary>
internal sealed class ReceivedBytes(Socket socket)
{
    private readonly byte[] _bytes = new byte[4_096];
    private int _start, _end;

    public ReadOnlySpan<byte> Unread => _bytes.AsSpan(_start, _end - _start);

    public void Drop(int count) => _start += count;

    /// <summary>Receives what has come, or waits for it if the socket is one that waits.</summary>
    /// <returns>False: the peer has closed.</returns>
    /// <exception cref="SocketException">The connection broke.</exception>
    public bool Receive()
    {
        Unread.CopyTo(_bytes);
        (_start, _end) = (0, _end - _start);
        var count = socket.Receive(_bytes.AsSpan(_end), SocketFlags.None, out var error);
        if (error is not (SocketError.Success or SocketError.WouldBlock))
            throw new SocketException((int)error);
        _end += count;
        return count > 0 || error == SocketError.WouldBlock;
    }
}
