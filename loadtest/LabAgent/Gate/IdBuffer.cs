using System.Buffers.Binary;

namespace DroneDelivery.LabAgent.Gate;

/// <summary>Ids that wait to be sent, so that those of one moment go in one packet. Not thread-safe.</summary>
internal sealed class IdBuffer
{
    private byte[] _bytes = new byte[64];
    private int _length;

    public bool IsEmpty => _length == 0;

    public ReadOnlySpan<byte> Bytes => _bytes.AsSpan(0, _length);

    public void Add(int id)
    {
        if (_length == _bytes.Length)
            Array.Resize(ref _bytes, 2 * _length);
        BinaryPrimitives.WriteInt32LittleEndian(_bytes.AsSpan(_length), id);
        _length += GateProtocol.IdSize;
    }

    /// <summary>Forgets the first bytes.</summary>
    public void Drop(int count)
    {
        _bytes.AsSpan(count, _length - count).CopyTo(_bytes);
        _length -= count;
    }
}
