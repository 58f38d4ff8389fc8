using System.Xml.Linq;
using DroneDelivery.LocalServiceBus.Entities.Rules;
using static DroneDelivery.LocalServiceBus.Admin.Atom;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>A rule in the XML of the management API. The attribute <c>i:type</c> contains the kind of filter or
/// action.</summary>
internal static class RuleXml
{
    private const string Root = "RuleDescription";

    // In the order of FilterKind.
    private static readonly string[] FilterTypes = [.. Enum.GetNames<FilterKind>().Select(kind => $"{kind}Filter")];

    private static readonly XNamespace Schema = "http://www.w3.org/2001/XMLSchema";

    public static XElement Write(RuleDescription rule) =>
        Element(
            Root,
            Filter(rule),
            rule.Action is null
                ? Typed("Action", "EmptyRuleAction")
                : Sql("Action", "SqlRuleAction", rule.Action, rule.ActionParameters),
            Element("CreatedAt", rule.CreatedAt.UtcDateTime),
            Element("Name", rule.Name)
        );

    /// <param name="former">The rule to change. Keeps its filter or action if the description omits it.</param>
    public static RuleDescription Read(XElement entry, RuleDescription former)
    {
        var description = entry.DescendantsAndSelf(ServiceBus + Root).FirstOrDefault()
            ?? throw new FormatException(
                $"The body must be an ATOM entry with a {Root} in the namespace {ServiceBus}."
            );
        var updated = Read(description);
        if (description.Element(ServiceBus + "Filter") is not null)
            return updated with { Name = former.Name };
        var hasAction = description.Element(ServiceBus + "Action") is not null;
        return hasAction
            ? former with
            {
                Action = updated.Action,
                ActionParameters = updated.ActionParameters,
            }
            : former;
    }

    public static RuleDescription Read(XElement description)
    {
        var name = Text(description, "Name") ?? RuleDescription.DefaultName;
        var filter = description.Element(ServiceBus + "Filter");
        var rule = filter is null ? new RuleDescription(name) : ReadFilter(name, filter);
        var action = description.Element(ServiceBus + "Action");
        return action is null || TypeOf(action) == "EmptyRuleAction"
            ? rule
            : rule with
            {
                Action = Text(action, "SqlExpression"),
                ActionParameters = Values(action, "Parameters"),
            };
    }

    private static RuleDescription ReadFilter(string name, XElement filter)
    {
        var kind = Array.FindIndex(FilterTypes, type => type == TypeOf(filter));
        return kind >= 0
            ? RuleDescription.Of(name, (FilterKind)kind, text => Text(filter, text), values => Values(filter, values))
            : throw new FormatException(
                $"Unknown filter type '{TypeOf(filter)}'. Expected one of {string.Join(", ", FilterTypes)}."
            );
    }

    private static XElement Filter(RuleDescription rule) =>
        rule.Filter switch
        {
            FilterKind.True => Sql("Filter", "TrueFilter", "1=1", null),
            FilterKind.False => Sql("Filter", "FalseFilter", "1=0", null),
            FilterKind.Sql => Sql("Filter", "SqlFilter", rule.Expression!, rule.Parameters),
            _ => Typed("Filter", "CorrelationFilter", Specified(rule.Correlation!)),
        };

    private static object?[] Specified(CorrelationFilter filter) =>
        [
            .. filter.Specified().Select(condition => Element(condition.Name, condition.Value)),
            Values("Properties", filter.Properties),
        ];

    private static XElement Sql(
        string name,
        string type,
        string expression,
        IReadOnlyDictionary<string, RuleValue>? parameters
    ) =>
        Typed(
            name,
            type,
            Element("SqlExpression", expression),
            Element("CompatibilityLevel", 20),
            Values("Parameters", parameters)
        );

    private static XElement Typed(string name, string type, params object?[] content) =>
        Element(name, new XAttribute(TypeAttribute, type), content);

    // SDKs for JavaScript expect a prefix of four letters.
    private static XElement? Values(string name, IReadOnlyDictionary<string, RuleValue>? values) =>
        values is null or { Count: 0 }
            ? null
            : Element(
                name,
                values.Select(value =>
                    Element(
                        "KeyValueOfstringanyType",
                        Element("Key", value.Key),
                        Element(
                            "Value",
                            new XAttribute(XNamespace.Xmlns + "d6p1", Schema.NamespaceName),
                            new XAttribute(TypeAttribute, $"d6p1:{WrittenTypeOf(value.Value)}"),
                            value.Value.Text
                        )
                    )
                )
            );

    private static Dictionary<string, RuleValue>? Values(XElement parent, string name)
    {
        if (parent.Element(ServiceBus + name) is not { } list)
            return null;
        var values = new Dictionary<string, RuleValue>();
        foreach (var pair in list.Elements(ServiceBus + "KeyValueOfstringanyType"))
        {
            var key = Text(pair, "Key") ?? throw new FormatException($"A value of {name} has no Key.");
            var value = pair.Element(ServiceBus + "Value")
                ?? throw new FormatException($"'{key}' of {name} has no Value.");
            if (!values.TryAdd(key, new RuleValue(TypeOf(value), value.Value)))
                throw new FormatException($"{name} contains '{key}' more than once.");
        }
        return values;
    }

    // SDKs for JavaScript don't support the type long.
    private static string WrittenTypeOf(RuleValue value) =>
        value.Type == "long" && int.TryParse(value.Text, out _) ? "int" : value.Type;

    private static string TypeOf(XElement element)
    {
        var type = element.Attribute(TypeAttribute)?.Value ?? "";
        return type[(type.IndexOf(':', StringComparison.Ordinal) + 1)..];
    }
}
