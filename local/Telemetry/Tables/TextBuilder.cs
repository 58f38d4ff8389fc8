using System.Buffers.Binary;
using System.Numerics;
using System.Text;

namespace DroneDelivery.Telemetry.Tables;

/// <summary>Dictionary-codes texts as they come: an open-addressing table over the UTF-8 bytes of the pool.</summary>
internal sealed class TextBuilder(ColumnType type) : ColumnBuilder
{
    private byte[] _bytes = [];
    private int[] _ends = new int[16];
    private int _entries = 1; // entry 0 is the empty text
    private int[] _slots = new int[64];
    private ushort[] _codes = [];

    /// <returns>Bytes by which the pool has grown.</returns>
    public int Append(string text)
    {
        Span<byte> small = stackalloc byte[512];
        var utf8 =
            Encoding.UTF8.GetMaxByteCount(text.Length) <= small.Length
                ? small
                : new byte[Encoding.UTF8.GetByteCount(text)];
        return Append(utf8[..Encoding.UTF8.GetBytes(text, utf8)]);
    }

    public int Append(ReadOnlySpan<byte> text)
    {
        var before = _ends[_entries - 1];
        AppendCode(text.IsEmpty ? 0 : Find(text));
        return _ends[_entries - 1] - before;
    }

    public override void AppendNull() => AppendCode(0);

    public override StoredColumn View() =>
        new StoredText(type, new(_bytes, _ends, _entries, packed: false), null, _codes, Count);

    public override StoredColumn Seal()
    {
        var pool =
            type == ColumnType.String
            && HexPacking.Pack(_bytes.AsSpan(0, _ends[_entries - 1]), _ends.AsSpan(0, _entries)) is var (bytes, ends)
                ? new TextPool(bytes, ends, _entries, packed: true)
                : new TextPool(_bytes[.._ends[_entries - 1]], _ends[.._entries], _entries, packed: false);
        if (_entries > 256)
            return new StoredText(type, pool, null, _codes[..Count], Count);
        var same = _codes.AsSpan(0, Count).IndexOfAnyExcept(_codes[0]) < 0;
        return new StoredText(
            type,
            pool,
            Array.ConvertAll(_codes[..(same ? 1 : Count)], code => (byte)code),
            null,
            Count
        );
    }

    private void AppendCode(int code)
    {
        if (Count == _codes.Length)
            Array.Resize(ref _codes, Math.Min(Math.Max(256, Count * 2), Chunk.Capacity));
        _codes[Count++] = (ushort)code;
    }

    private int Find(ReadOnlySpan<byte> text)
    {
        // Rows that follow each other often have the same role, name or parent.
        if (Count > 0 && _codes[Count - 1] is not 0 and var last && Entry(last).SequenceEqual(text))
            return last;
        var slot = (int)(Hash(text) & (uint)(_slots.Length - 1));
        for (; _slots[slot] != 0; slot = (slot + 1) & (_slots.Length - 1))
        {
            if (Entry(_slots[slot]).SequenceEqual(text))
                return _slots[slot];
        }
        _slots[slot] = Add(text);
        if (_entries * 2 > _slots.Length)
            GrowSlots();
        return _entries - 1;
    }

    private int Add(ReadOnlySpan<byte> text)
    {
        var start = _ends[_entries - 1];
        // Growing makes new arrays: views hold the old ones.
        if (start + text.Length > _bytes.Length)
            Array.Resize(ref _bytes, Math.Max(start + text.Length, _bytes.Length * 2));
        if (_entries == _ends.Length)
            Array.Resize(ref _ends, _ends.Length * 2);
        text.CopyTo(_bytes.AsSpan(start));
        _ends[_entries] = start + text.Length;
        return _entries++;
    }

    private void GrowSlots()
    {
        var mask = (_slots.Length * 2) - 1;
        _slots = new int[mask + 1];
        for (var entry = 1; entry < _entries; entry++)
        {
            var slot = (int)(Hash(Entry(entry)) & (uint)mask);
            while (_slots[slot] != 0)
                slot = (slot + 1) & mask;
            _slots[slot] = entry;
        }
    }

    private ReadOnlySpan<byte> Entry(int entry) => _bytes.AsSpan(_ends[entry - 1].._ends[entry]);

    // Multiply and rotate, eight bytes at a time: ids of 16 and 32 digits are the common case, and they only have to spread over slots.
    private static uint Hash(ReadOnlySpan<byte> text)
    {
        const ulong Odd = 0x9E3779B97F4A7C15;
        var hash = (ulong)text.Length * Odd;
        for (; text.Length >= 8; text = text[8..])
            hash = BitOperations.RotateLeft((hash ^ BinaryPrimitives.ReadUInt64LittleEndian(text)) * Odd, 29);
        foreach (var b in text)
            hash = (hash ^ b) * Odd;
        return (uint)((hash ^ (hash >> 32)) * Odd >> 32);
    }
}
