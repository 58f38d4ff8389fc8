namespace DroneDelivery.Amqp;

/// <summary>A symbolic value from a constrained domain, ASCII only (AMQP 1.0 §1.6.21).</summary>
public readonly record struct Symbol(string Value)
{
    public static implicit operator Symbol(string value) => new(value);

    public override string ToString() => Value;
}
