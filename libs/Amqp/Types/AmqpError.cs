namespace DroneDelivery.Amqp;

/// <summary>The error of a close, end, detach or rejected outcome (AMQP 1.0 §2.8.14).</summary>
public sealed record AmqpError(Symbol Condition, string? Description = null, Dictionary<Symbol, object?>? Info = null);
