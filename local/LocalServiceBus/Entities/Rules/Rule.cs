using System.Xml;

namespace DroneDelivery.LocalServiceBus.Entities.Rules;

internal sealed class Rule
{
    private const int MaxNameLength = 50;

    private readonly Func<IRuleMessage, bool> _matches;
    private readonly IReadOnlyList<SqlStatement> _statements;

    /// <exception cref="EntityException">The rule is invalid (InvalidOption). The message contains the part, the
    /// position, and the reason.</exception>
    public Rule(RuleDescription description)
    {
        Description = description;
        var isDefault = description.Name.Equals(RuleDescription.DefaultName, StringComparison.OrdinalIgnoreCase);
        if (!isDefault && (description.Name.Length > MaxNameLength || !EntityName.IsPart(description.Name)))
        {
            throw Bad(
                $"'{Excerpt.Of(description.Name)}' is not a valid rule name. Use 1 to {MaxNameLength} of the characters {EntityName.Characters}"
            );
        }

        RequireXml(description);
        IsTrue = description.Filter == FilterKind.True || description is { Filter: FilterKind.Sql, Expression: "1=1" };
        _matches = description.Filter switch
        {
            _ when IsTrue => _ => true,
            FilterKind.False => _ => false,
            FilterKind.Sql => Sql(description),
            _ => Correlation(description),
        };
        _statements = description.Action is null
            ? []
            : Read("action", () => SqlParser.Action(description.Action, Values(description.ActionParameters)));
    }

    public RuleDescription Description { get; }

    /// <summary><c>true</c> if the rule accepts all messages. SDKs also write the true filter as <c>1=1</c>.</summary>
    public bool IsTrue { get; }

    public bool NeedsMessage => !IsTrue && Description.Filter != FilterKind.False;

    public bool HasAction => _statements.Count > 0;

    public bool Matches(IRuleMessage message) => _matches(message);

    public MessageContent Apply(IRuleMessage message)
    {
        foreach (var statement in _statements)
            statement.Apply(message);
        message.Set("RuleName", Description.Name);
        return message.ToContent();
    }

    private static Func<IRuleMessage, bool> Sql(RuleDescription description)
    {
        var filter = Read("filter", () =>
            SqlParser.Filter(description.Expression ?? "", Values(description.Parameters))
        );
        return message => filter(message) == true;
    }

    private static Func<IRuleMessage, bool> Correlation(RuleDescription description)
    {
        var system = description.Correlation?.Specified().ToList() ?? [];
        var user = Values(description.Correlation?.Properties)
            .Select(entry => (entry.Key, SqlValue.Of(entry.Value)))
            .ToList();
        if (system.Count + user.Count == 0)
            throw Bad("A correlation filter must specify at least one property");
        return message =>
            system.All(one => message.System(one.Name) is string value && value == one.Value)
            && user.All(one =>
                message.TryGet(one.Key, out var value) && SqlValue.AreEqual(SqlValue.Of(value), one.Item2) == true
            );
    }

    /// <summary>Rejects characters that the XML of the management API can't contain.</summary>
    private static void RequireXml(RuleDescription rule)
    {
        var values = new[] { rule.Parameters, rule.ActionParameters, rule.Correlation?.Properties }
            .SelectMany(entries => entries ?? new Dictionary<string, RuleValue>())
            .SelectMany(entry => new[] { entry.Key, entry.Value.Text });
        var texts = (rule.Correlation?.Specified() ?? []).Select(condition => condition.Value).Concat(values);
        foreach (var text in texts.Append(rule.Expression ?? "").Append(rule.Action ?? ""))
        {
            try
            {
                XmlConvert.VerifyXmlChars(text);
            }
            catch (XmlException error)
            {
                throw Bad($"The rule contains characters that XML does not allow: {error.Message.TrimEnd('.')}");
            }
        }
    }

    private static Dictionary<string, object?> Values(IReadOnlyDictionary<string, RuleValue>? values) =>
        (values ?? new Dictionary<string, RuleValue>()).ToDictionary(
            entry => entry.Key,
            entry => (object?)entry.Value.ToObject()
        );

    private static T Read<T>(string part, Func<T> read)
    {
        try
        {
            return read();
        }
        catch (SqlException error)
        {
            throw new EntityException(
                EntityFailure.InvalidOption,
                $"The {part} of the rule is invalid. {error.Message}"
            );
        }
    }

    private static EntityException Bad(string why) => new(EntityFailure.InvalidOption, $"{why}.");
}
