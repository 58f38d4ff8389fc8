namespace DroneDelivery.Amqp;

/// <summary>IEEE 754 decimal32, carried but not computed with (AMQP 1.0 §1.6.13).</summary>
public readonly record struct Decimal32(uint Bits);

/// <summary>IEEE 754 decimal64, carried but not computed with (AMQP 1.0 §1.6.14).</summary>
public readonly record struct Decimal64(ulong Bits);

/// <summary>IEEE 754 decimal128, carried but not computed with (AMQP 1.0 §1.6.15).</summary>
public readonly record struct Decimal128(UInt128 Bits);
