namespace DroneDelivery.Amqp;

/// <summary>A symbolic value from a constrained domain, ASCII only (AMQP 1.0 §1.6.21).</summary>
public readonly record struct Symbol(string Value)
{
    public static implicit operator Symbol(string value) => new(value);

    public override string ToString() => Value;
}

/// <summary>A value with a descriptor, a <see cref="ulong"/> or a <see cref="Symbol"/>, that says how to read it (AMQP 1.0 §1.2).</summary>
public sealed record DescribedValue(object Descriptor, object? Value);

/// <summary>IEEE 754 decimal32, carried but not computed with (AMQP 1.0 §1.6.13).</summary>
public readonly record struct Decimal32(uint Bits);

/// <summary>IEEE 754 decimal64, carried but not computed with (AMQP 1.0 §1.6.14).</summary>
public readonly record struct Decimal64(ulong Bits);

/// <summary>IEEE 754 decimal128, carried but not computed with (AMQP 1.0 §1.6.15).</summary>
public readonly record struct Decimal128(UInt128 Bits);
