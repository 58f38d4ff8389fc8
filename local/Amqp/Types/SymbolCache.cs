using System.Text;

namespace DroneDelivery.Amqp;

/// <summary>
/// The strings of symbols seen lately, because the same few annotation keys come with every message. A slot is overwritten by whatever
/// falls on it next; a race only costs a string.
/// </summary>
internal static class SymbolCache
{
    private static readonly string?[] Slots = new string?[256];

    public static string Get(ReadOnlySpan<byte> ascii)
    {
        ref var slot = ref Slots[Hash(ascii)];
        var cached = slot;
        if (cached is not null && Ascii.Equals(ascii, cached))
            return cached;
        return slot = Encoding.ASCII.GetString(ascii);
    }

    private static byte Hash(ReadOnlySpan<byte> ascii)
    {
        var hash = (uint)ascii.Length;
        foreach (var b in ascii)
            hash = hash * 31 + b;
        return (byte)(hash ^ (hash >> 8) ^ (hash >> 16));
    }
}
