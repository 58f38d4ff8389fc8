using System.Xml.Linq;

namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>A rule in the broker's XML. The kind of filter and of action is in the attribute <c>i:type</c>.</summary>
internal static class RuleDescription
{
    public const string Root = "RuleDescription";

    public static string Write(RuleProperties rule) => Atom.Write(Element(Root, rule));

    /// <param name="name">Of the element.</param>
    /// <param name="rule">The rule.</param>
    public static XElement Element(string name, RuleProperties rule) => new(
        Atom.ServiceBus + name,
        new XAttribute(XNamespace.Xmlns + "i", RuleValues.Instance.NamespaceName),
        Filter(rule.Filter),
        Action(rule.Action),
        Text("Name", rule.Name));

    public static RuleProperties Properties(string name, XElement description)
    {
        var rule = new RuleProperties(name) { Action = Action(description.Element(Atom.ServiceBus + "Action")) };
        if (description.Element(Atom.ServiceBus + "Filter") is { } filter)
            rule.Filter = Filter(filter);
        return rule;
    }

    private static XElement Filter(RuleFilter filter) => filter switch
    {
        TrueRuleFilter all => Typed("Filter", "TrueFilter", Text("SqlExpression", all.SqlExpression)),
        FalseRuleFilter none => Typed("Filter", "FalseFilter", Text("SqlExpression", none.SqlExpression)),
        SqlRuleFilter sql => Typed(
            "Filter", "SqlFilter", Text("SqlExpression", sql.SqlExpression), RuleValues.Element("Parameters", sql.Parameters)),
        CorrelationRuleFilter correlation => Typed(
            "Filter",
            "CorrelationFilter",
            correlation.Properties.Select(property => Atom.Element(property.Name, property.Value)),
            RuleValues.Element("Properties", correlation.ApplicationProperties)),
        _ => throw new NotSupportedException($"The broker has no filter of the type {filter.GetType().Name}."),
    };

    private static XElement Action(RuleAction? action) => action is SqlRuleAction sql
        ? Typed("Action", "SqlRuleAction", Text("SqlExpression", sql.SqlExpression), RuleValues.Element("Parameters", sql.Parameters))
        : Typed("Action", "EmptyRuleAction");

    private static RuleFilter Filter(XElement filter)
    {
        switch (RuleValues.TypeOf(filter))
        {
            case "TrueFilter":
                return new TrueRuleFilter();
            case "FalseFilter":
                return new FalseRuleFilter();
            case "CorrelationFilter":
                return Correlation(filter);
            case "SqlFilter":
                var sql = new SqlRuleFilter(Text(filter, "SqlExpression") ?? "");
                RuleValues.Read(filter, "Parameters", sql.Parameters);
                return sql;
            case var other:
                throw new NotSupportedException($"The broker has a filter of the type '{other}', which this client does not know.");
        }
    }

    private static CorrelationRuleFilter Correlation(XElement filter)
    {
        var correlation = new CorrelationRuleFilter
        {
            CorrelationId = Text(filter, "CorrelationId"),
            MessageId = Text(filter, "MessageId"),
            To = Text(filter, "To"),
            ReplyTo = Text(filter, "ReplyTo"),
            Subject = Text(filter, "Label"),
            SessionId = Text(filter, "SessionId"),
            ReplyToSessionId = Text(filter, "ReplyToSessionId"),
            ContentType = Text(filter, "ContentType"),
        };
        RuleValues.Read(filter, "Properties", correlation.ApplicationProperties);
        return correlation;
    }

    private static SqlRuleAction? Action(XElement? action)
    {
        if (action is null || Text(action, "SqlExpression") is not { Length: > 0 } expression)
            return null;
        var sql = new SqlRuleAction(expression);
        RuleValues.Read(action, "Parameters", sql.Parameters);
        return sql;
    }

    private static XElement Typed(string name, string type, params object?[] content) =>
        new(Atom.ServiceBus + name, new XAttribute(RuleValues.Instance + "type", type), content);

    private static XElement Text(string name, string value) => new(Atom.ServiceBus + name, value);

    private static string? Text(XElement parent, string name) => parent.Element(Atom.ServiceBus + name)?.Value;
}
