using System.Buffers.Binary;
using System.Net.Sockets;

namespace DroneDelivery.ServiceDefaults.Emulation.Gate;

/// <summary>Reads the ids that come after the greetings. One reader at a time.</summary>
internal sealed class IdReader(Socket socket)
{
    private readonly byte[] _bytes = new byte[4_096];
    private readonly int[] _ids = new int[1_024];
    private int _length;

    /// <returns>What has arrived, at least one id, valid until the next call; empty when the peer has closed.</returns>
    /// <exception cref="SocketException">The connection broke.</exception>
    public async ValueTask<ReadOnlyMemory<int>> ReadAsync(CancellationToken cancellationToken)
    {
        do
        {
            var received = await socket.ReceiveAsync(_bytes.AsMemory(_length), SocketFlags.None, cancellationToken);
            if (received == 0)
                return default;
            _length += received;
        }
        while (_length < GateProtocol.IdSize);
        return _ids.AsMemory(0, TakeIds());
    }

    private int TakeIds()
    {
        var count = _length / GateProtocol.IdSize;
        for (var i = 0; i < count; i++)
            _ids[i] = BinaryPrimitives.ReadInt32LittleEndian(_bytes.AsSpan(i * GateProtocol.IdSize));
        // A part of an id may be left.
        _bytes.AsSpan(count * GateProtocol.IdSize, _length - count * GateProtocol.IdSize).CopyTo(_bytes);
        _length -= count * GateProtocol.IdSize;
        return count;
    }
}
