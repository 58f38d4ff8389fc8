namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>A rule as the broker has it. Change it and hand it to
/// <see cref="ServiceBusAdministrationClient.UpdateRuleAsync"/>.</summary>
public sealed class RuleProperties
{
    /// <summary>Of the rule that a subscription begins with.</summary>
    public const string DefaultRuleName = "$Default";

    private RuleFilter _filter = new TrueRuleFilter();

    internal RuleProperties(string name) => Name = name;

    internal RuleProperties(CreateRuleOptions options)
    {
        Name = options.Name;
        Filter = options.Filter;
        Action = options.Action;
    }

    public string Name { get; }

    public RuleFilter Filter
    {
        get => _filter;
        set
        {
            ArgumentNullException.ThrowIfNull(value, nameof(Filter));
            _filter = value;
        }
    }

    /// <summary>Null: messages stay as they are.</summary>
    public RuleAction? Action { get; set; }
}
