namespace DroneDelivery.Amqp;

/// <summary>A symbol: an ASCII string from a constrained domain (AMQP 1.0 §1.6.21).</summary>
public readonly record struct Symbol(string Value)
{
    public static implicit operator Symbol(string value) => new(value);

    public override string ToString() => Value;
}

/// <summary>A value with a descriptor, a <see cref="ulong"/> or <see cref="Symbol"/>, that defines its meaning (AMQP
/// 1.0 §1.2).</summary>
public sealed record DescribedValue(object Descriptor, object? Value);

/// <summary>An IEEE 754 decimal32, as its bits (AMQP 1.0 §1.6.13).</summary>
public readonly record struct Decimal32(uint Bits);

/// <summary>An IEEE 754 decimal64, as its bits (AMQP 1.0 §1.6.14).</summary>
public readonly record struct Decimal64(ulong Bits);

/// <summary>An IEEE 754 decimal128, as its bits (AMQP 1.0 §1.6.15).</summary>
public readonly record struct Decimal128(UInt128 Bits);
