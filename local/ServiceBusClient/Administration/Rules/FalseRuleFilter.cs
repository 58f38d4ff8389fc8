namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>No message.</summary>
public sealed class FalseRuleFilter() : SqlRuleFilter("1=0")
{
    public static bool operator ==(FalseRuleFilter? left, FalseRuleFilter? right) => (left is null) == (right is null);

    public static bool operator !=(FalseRuleFilter? left, FalseRuleFilter? right) => !(left == right);

    public override bool Equals(RuleFilter? other) => other is FalseRuleFilter;

    public override bool Equals(object? obj) => obj is FalseRuleFilter;

    public override int GetHashCode() => base.GetHashCode();

    public override string ToString() => "FalseRuleFilter";
}
