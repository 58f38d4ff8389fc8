using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace DroneDelivery.Amqp;

/// <summary>
/// Equality of the keys of a map as the peer chose them. Their own hash codes can be foreseen (that of a long is its halves' XOR): a
/// map of keys that collide would take quadratic time. The hash codes of strings cannot, and here those of all others are made alike.
/// </summary>
internal sealed class KeyComparer : IEqualityComparer<object>
{
    private const int WidestKey = 16;

    public static KeyComparer Instance { get; } = new();

    bool IEqualityComparer<object>.Equals(object? x, object? y) => Equals(x, y);

    public int GetHashCode(object key)
    {
        Span<byte> bits = stackalloc byte[WidestKey];
        switch (key)
        {
            case int value: return Hash(bits, (uint)value);
            case uint value: return Hash(bits, value);
            case long value: return Hash(bits, (ulong)value);
            case ulong value: return Hash(bits, value);
            case float value: return Hash(bits, BitConverter.SingleToUInt32Bits(value));
            case double value: return Hash(bits, BitConverter.DoubleToUInt64Bits(value));
            case DateTimeOffset value: return Hash(bits, (ulong)value.UtcTicks);
            case Guid value: return value.TryWriteBytes(bits) ? Hash(bits) : 0;
            case Decimal32 value: return Hash(bits, value.Bits);
            case Decimal64 value: return Hash(bits, value.Bits);
            case Decimal128 value: return Hash(bits, value.Bits);
            case DescribedValue value:
                return HashCode.Combine(GetHashCode(value.Descriptor), value.Value is null ? 0 : GetHashCode(value.Value));
            // Strings and symbols are hashed with a secret already, smaller numbers have too few values, collections are equal to none.
            default: return key.GetHashCode();
        }
    }

    private static int Hash(Span<byte> bits, UInt128 value)
    {
        BinaryPrimitives.WriteUInt128LittleEndian(bits, value);
        return Hash(bits);
    }

    // The secret of this process is that of its strings.
    private static int Hash(ReadOnlySpan<byte> bits) => string.GetHashCode(MemoryMarshal.Cast<byte, char>(bits));
}
