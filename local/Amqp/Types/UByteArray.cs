namespace DroneDelivery.Amqp;

/// <summary>An AMQP array of ubyte. It has a type of its own because a plain <c>byte[]</c> stands for binary (AMQP 1.0 §1.6.19).</summary>
public sealed record UByteArray(byte[] Items);
