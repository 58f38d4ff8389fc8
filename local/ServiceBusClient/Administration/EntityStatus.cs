namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>What a queue lets its users do.</summary>
public readonly struct EntityStatus(string value) : IEquatable<EntityStatus>
{
    private readonly string _value = value ?? throw new ArgumentNullException(nameof(value));

    public static EntityStatus Active { get; } = new("Active");

    public static EntityStatus Disabled { get; } = new("Disabled");

    public static EntityStatus SendDisabled { get; } = new("SendDisabled");

    public static EntityStatus ReceiveDisabled { get; } = new("ReceiveDisabled");

    public static implicit operator EntityStatus(string value) => new(value);

    public static bool operator ==(EntityStatus left, EntityStatus right) => left.Equals(right);

    public static bool operator !=(EntityStatus left, EntityStatus right) => !left.Equals(right);

    public bool Equals(EntityStatus other) => string.Equals(_value, other._value, StringComparison.OrdinalIgnoreCase);

    public override bool Equals(object? obj) => obj is EntityStatus other && Equals(other);

    public override int GetHashCode() => StringComparer.OrdinalIgnoreCase.GetHashCode(_value ?? "");

    public override string ToString() => _value ?? "";
}
