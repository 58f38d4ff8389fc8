namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>What is changed in the messages that a rule lets through.</summary>
public abstract class RuleAction : IEquatable<RuleAction>
{
    private protected RuleAction()
    {
    }

    public abstract bool Equals(RuleAction? other);

    public abstract override bool Equals(object? obj);

    public override int GetHashCode() => base.GetHashCode();
}
