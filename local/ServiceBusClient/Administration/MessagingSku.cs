namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>The tier of a namespace.</summary>
public readonly struct MessagingSku(string value) : IEquatable<MessagingSku>
{
    private readonly string _value = value ?? throw new ArgumentNullException(nameof(value));

    public static MessagingSku Basic { get; } = new("Basic");

    public static MessagingSku Standard { get; } = new("Standard");

    public static MessagingSku Premium { get; } = new("Premium");

    public static implicit operator MessagingSku(string value) => new(value);

    public static bool operator ==(MessagingSku left, MessagingSku right) => left.Equals(right);

    public static bool operator !=(MessagingSku left, MessagingSku right) => !left.Equals(right);

    public bool Equals(MessagingSku other) => string.Equals(_value, other._value, StringComparison.OrdinalIgnoreCase);

    public override bool Equals(object? obj) => obj is MessagingSku other && Equals(other);

    public override int GetHashCode() => StringComparer.OrdinalIgnoreCase.GetHashCode(_value ?? "");

    public override string ToString() => _value ?? "";
}
