namespace DroneDelivery.Amqp;

/// <summary>A value with a descriptor, a <see cref="ulong"/> or a <see cref="Symbol"/>, that says how to read it (AMQP 1.0 §1.2).</summary>
public sealed record DescribedValue(object Descriptor, object? Value);
