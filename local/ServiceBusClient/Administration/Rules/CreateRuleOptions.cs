namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>A rule to create.</summary>
public sealed class CreateRuleOptions
{
    /// <summary>Of the rule that a subscription begins with.</summary>
    public const string DefaultRuleName = "$Default";

    private RuleFilter _filter = new TrueRuleFilter();
    private string _name = DefaultRuleName;

    /// <summary>The rule that a subscription begins with.</summary>
    public CreateRuleOptions()
    {
    }

    public CreateRuleOptions(string name) => Name = name;

    public CreateRuleOptions(string name, RuleFilter filter)
    {
        Name = name;
        Filter = filter;
    }

    /// <summary>A rule like another one.</summary>
    public CreateRuleOptions(RuleProperties rule)
    {
        ArgumentNullException.ThrowIfNull(rule);
        Name = rule.Name;
        Filter = rule.Filter;
        Action = rule.Action;
    }

    public string Name
    {
        get => _name;
        set
        {
            ArgumentException.ThrowIfNullOrWhiteSpace(value, nameof(Name));
            _name = value;
        }
    }

    /// <summary>Default: every message.</summary>
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
