using System.Text.Json;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Wire;

internal static class RuleNode
{
    // The codes of Service Bus. Those of filters have one digit less.
    private const ulong RuleCode = 0x13700000004,
        NoActionCode = 0x13700000005,
        ActionCode = 0x13700000006,
        SqlCode = 0x1370000006,
        TrueCode = 0x1370000007,
        FalseCode = 0x1370000008,
        CorrelationCode = 0x1370000009;

    // The first of these that a description contains applies.
    private static readonly (string Name, FilterKind Kind)[] Filters =
    [
        ("sql-filter", FilterKind.Sql),
        ("correlation-filter", FilterKind.Correlation),
        ("false-filter", FilterKind.False),
        ("true-filter", FilterKind.True),
    ];

    // The maximum number of rules per reply. Clients request further pages.
    private const int MaxListed = 100;

    public static AmqpMessage? Handle(Subscription subscription, ManagementRequest request, DateTimeOffset now)
    {
        switch (request.Operation)
        {
            case "add-rule":
                subscription.AddRule(Description(request), now);
                return ManagementReply.Ok();
            case "remove-rule":
                subscription.RemoveRule(request.Get<string>("rule-name"));
                return ManagementReply.Ok();
            case "enumerate-rules":
                return List(subscription, request);
            default:
                return null;
        }
    }

    private static RuleDescription Description(ManagementRequest request)
    {
        var given = request.Map("rule-description")
            ?? throw ManagementRequest.Bad("rule-description", typeof(Dictionary<string, object?>));
        var action = given.Map("sql-rule-action")?.GetOrDefault<string>("expression");
        foreach (var (name, kind) in Filters)
        {
            if (given.Map(name) is { } filter)
            {
                var rule = RuleDescription.Of(
                    request.Get<string>("rule-name"),
                    kind,
                    text => filter.GetOrDefault<string>(NameOf(text)),
                    values => Values(filter, NameOf(values))
                );
                return rule with { Action = action };
            }
        }
        throw new AmqpException(
            new(
                ServiceBusErrors.ArgumentError,
                $"rule-description must contain one of {string.Join(", ", Filters.Select(filter => filter.Name))}."
            )
        );
    }

    private static string NameOf(string field) =>
        field == "SqlExpression" ? "expression" : JsonNamingPolicy.KebabCaseLower.ConvertName(field);

    private static Dictionary<string, RuleValue>? Values(Arguments filter, string name) =>
        filter
            .GetProperties(name)
            ?.ToDictionary(
                entry => entry.Key,
                entry =>
                    RuleValue.Of(
                        DescribedProperty.ToRuleValue(DescribedProperty.ToAmqp(entry.Value))
                            ?? throw ManagementRequest.Bad(name, typeof(Dictionary<string, object?>))
                    )
            );

    private static AmqpMessage List(Subscription subscription, ManagementRequest request)
    {
        var skip = Math.Max(0, request.GetOrDefault<int>("skip"));
        var top = Math.Clamp(request.Get<int>("top"), 0, MaxListed);
        var rules = subscription
            .Rules.Skip(skip)
            .Take(top)
            .Select(rule => (object?)new Dictionary<object, object?> { ["rule-description"] = Encode(rule) })
            .ToList();
        return rules.Count == 0 ? ManagementReply.Empty() : ManagementReply.Ok("rules", rules);
    }

    private static DescribedValue Encode(RuleDescription rule) =>
        new(
            RuleCode,
            new List<object?>
            {
                EncodeFilter(rule),
                rule.Action is null
                    ? new DescribedValue(NoActionCode, new List<object?>())
                    : Sql(ActionCode, rule.Action),
                rule.Name,
                rule.CreatedAt,
            }
        );

    private static DescribedValue EncodeFilter(RuleDescription rule) =>
        rule.Filter switch
        {
            FilterKind.True => new DescribedValue(TrueCode, new List<object?>()),
            FilterKind.False => new DescribedValue(FalseCode, new List<object?>()),
            FilterKind.Sql => Sql(SqlCode, rule.Expression!),
            _ => new DescribedValue(
                CorrelationCode,
                (List<object?>)
                    [
                        .. rule.Correlation!.All().Select(one => one.Value),
                        rule.Correlation.Properties?.ToDictionary(
                            entry => (object)entry.Key,
                            entry => DescribedProperty.OfRuleValue(entry.Value.ToObject())
                        ),
                    ]
            ),
        };

    // The last field is the compatibility level.
    private static DescribedValue Sql(ulong code, string expression) => new(code, new List<object?> { expression, 20 });
}
