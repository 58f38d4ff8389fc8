using Azure.Messaging.ServiceBus.Administration;
using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus;

/// <summary>Rules as <c>$management</c> of a subscription takes them, in maps, and gives them, in described lists.</summary>
internal static class RuleConversion
{
    // The numbers of filters have a digit less than those of rules and actions.
    private const ulong ActionCode = 0x13700000006, SqlCode = 0x1370000006, TrueCode = 0x1370000007, FalseCode = 0x1370000008,
        CorrelationCode = 0x1370000009;

    /// <exception cref="NotSupportedException">There are parameters, which only the administration client can give.</exception>
    public static Dictionary<object, object?> ToAmqp(CreateRuleOptions rule)
    {
        var description = new Dictionary<object, object?>();
        if (rule.Filter is CorrelationRuleFilter correlation)
            description["correlation-filter"] = ToAmqp(correlation);
        else if (rule.Filter is SqlRuleFilter sql)
            description["sql-filter"] = Expression(sql.SqlExpression, sql.Parameters);
        description["sql-rule-action"] = rule.Action is SqlRuleAction action ? Expression(action.SqlExpression, action.Parameters) : null;
        return description;
    }

    /// <exception cref="AmqpException">It is no rule.</exception>
    public static RuleProperties FromAmqp(object? rule)
    {
        if (rule is not DescribedValue { Value: List<object?> and [DescribedValue filter, var action, string name, ..] })
            throw Malformed("The broker's answer holds something that is no rule.");
        return new RuleProperties(name)
        {
            Filter = Filter(filter),
            Action = action is DescribedValue { Descriptor: ActionCode, Value: List<object?> and [string { Length: > 0 } text, ..] }
                ? new SqlRuleAction(text)
                : null,
        };
    }

    private static Dictionary<object, object?> Expression(string expression, IDictionary<string, object> parameters) =>
        parameters.Count == 0
            ? new() { ["expression"] = expression }
            : throw new NotSupportedException(
                $"A rule manager cannot give values to parameters ({string.Join(", ", parameters.Keys)}): create the rule with "
                + $"{nameof(ServiceBusAdministrationClient)}, or write the values into the expression.");

    private static Dictionary<object, object?> ToAmqp(CorrelationRuleFilter filter) => new()
    {
        ["correlation-id"] = filter.CorrelationId,
        ["message-id"] = filter.MessageId,
        ["to"] = filter.To,
        ["reply-to"] = filter.ReplyTo,
        ["label"] = filter.Subject,
        ["session-id"] = filter.SessionId,
        ["reply-to-session-id"] = filter.ReplyToSessionId,
        ["content-type"] = filter.ContentType,
        ["properties"] = filter.ApplicationProperties.ToDictionary(
            property => (object)property.Key, property => PropertyValues.ToAmqp(property.Key, property.Value)),
    };

    private static RuleFilter Filter(DescribedValue filter) => filter switch
    {
        { Descriptor: TrueCode } => new TrueRuleFilter(),
        { Descriptor: FalseCode } => new FalseRuleFilter(),
        { Descriptor: SqlCode, Value: List<object?> and [string expression, ..] } => new SqlRuleFilter(expression),
        { Descriptor: CorrelationCode, Value: List<object?> fields } => Correlation(fields),
        _ => throw Malformed($"The broker's answer holds a filter that this client does not know: {filter.Descriptor}."),
    };

    private static CorrelationRuleFilter Correlation(List<object?> fields)
    {
        var properties = fields.ElementAtOrDefault(8) as Dictionary<object, object?> ?? [];
        return new CorrelationRuleFilter
        {
            CorrelationId = Text(0),
            MessageId = Text(1),
            To = Text(2),
            ReplyTo = Text(3),
            Subject = Text(4),
            SessionId = Text(5),
            ReplyToSessionId = Text(6),
            ContentType = Text(7),
            ApplicationProperties = PropertyValues.FromAmqp(
                properties.ToDictionary(property => property.Key.ToString()!, property => property.Value)),
        };

        string? Text(int field) => fields.ElementAtOrDefault(field) as string;
    }

    private static AmqpException Malformed(string message) => new(new AmqpError(ErrorConditions.DecodeError, message));
}
