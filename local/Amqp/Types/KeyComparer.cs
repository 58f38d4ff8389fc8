using System.Globalization;

namespace DroneDelivery.Amqp;

/// <summary>
/// Equality of the keys of a map as the peer chose them. Their own hash codes can be foreseen (that of a long is its halves' XOR): a
/// map of keys that collide would take quadratic time. The hash codes of strings cannot: all others are hashed as their text.
/// </summary>
internal sealed class KeyComparer : IEqualityComparer<object>
{
    public static KeyComparer Instance { get; } = new();

    bool IEqualityComparer<object>.Equals(object? x, object? y) => Equals(x, y);

    public int GetHashCode(object key) =>
        key switch
        {
            DescribedValue value => HashCode.Combine(
                GetHashCode(value.Descriptor),
                value.Value is null ? 0 : GetHashCode(value.Value)
            ),
            DateTimeOffset value => GetHashCode(value.UtcTicks),
            ValueType and not Symbol => Convert
                .ToString(key, CultureInfo.InvariantCulture)!
                .GetHashCode(StringComparison.Ordinal),
            // Collections are equal to none.
            _ => key.GetHashCode(),
        };
}
