namespace DroneDelivery.Telemetry.Tables;

/// <summary>Trace and span ids are most of a pool's bytes and nothing but hexadecimal digits: two fit in a byte.</summary>
internal static class HexPacking
{
    private static readonly System.Buffers.SearchValues<byte> Digits = System.Buffers.SearchValues.Create(
        "0123456789abcdef"u8
    );

    /// <summary>The pool at half its size, or nothing when any entry is not an even number of lower-case hexadecimal digits.</summary>
    public static (byte[] Bytes, int[] Ends)? Pack(ReadOnlySpan<byte> bytes, ReadOnlySpan<int> ends)
    {
        if (bytes.IsEmpty || bytes.ContainsAnyExcept(Digits))
            return null;
        var packedEnds = new int[ends.Length];
        for (var i = 0; i < ends.Length; i++)
        {
            if (ends[i] % 2 != 0)
                return null;
            packedEnds[i] = ends[i] / 2;
        }
        var packed = new byte[bytes.Length / 2];
        Convert.FromHexString(bytes, packed, out _, out _);
        return (packed, packedEnds);
    }
}
