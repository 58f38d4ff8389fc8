namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>Every message.</summary>
public sealed class TrueRuleFilter() : SqlRuleFilter("1=1")
{
    public static bool operator ==(TrueRuleFilter? left, TrueRuleFilter? right) => (left is null) == (right is null);

    public static bool operator !=(TrueRuleFilter? left, TrueRuleFilter? right) => !(left == right);

    public override bool Equals(RuleFilter? other) => other is TrueRuleFilter;

    public override bool Equals(object? obj) => obj is TrueRuleFilter;

    public override int GetHashCode() => base.GetHashCode();

    public override string ToString() => "TrueRuleFilter";
}
