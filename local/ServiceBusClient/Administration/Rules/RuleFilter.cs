namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>Which messages of its topic a subscription gets.</summary>
public abstract class RuleFilter : IEquatable<RuleFilter>
{
    private protected RuleFilter()
    {
    }

    public abstract bool Equals(RuleFilter? other);

    public abstract override bool Equals(object? obj);

    public override int GetHashCode() => base.GetHashCode();
}
