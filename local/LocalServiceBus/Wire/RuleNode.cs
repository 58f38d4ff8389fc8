using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>What <c>$management</c> of a subscription answers about its rules.</summary>
internal static class RuleNode
{
    private const string Prefix = "com.microsoft:";

    // The service's numbers: those of filters have a digit less.
    private const ulong RuleCode = 0x13700000004, NoActionCode = 0x13700000005, ActionCode = 0x13700000006,
        SqlCode = 0x1370000006, TrueCode = 0x1370000007, FalseCode = 0x1370000008, CorrelationCode = 0x1370000009;

    // Rules in one answer; clients ask for the next ones.
    private const int MostListed = 100;

    /// <returns>Null: the operation is as at a queue.</returns>
    /// <exception cref="AmqpException">An argument is missing or of another type.</exception>
    public static AmqpMessage? Answer(Subscription subscription, ManagementRequest request, DateTimeOffset now)
    {
        try
        {
            switch (request.Operation)
            {
                case Prefix + "add-rule":
                    subscription.AddRule(Description(request), now);
                    return ManagementReply.Ok();
                case Prefix + "remove-rule":
                    subscription.RemoveRule(request.Get<string>("rule-name"));
                    return ManagementReply.Ok();
                case Prefix + "enumerate-rules":
                    return List(subscription, request);
                default:
                    return null;
            }
        }
        catch (EntityException error)
        {
            return error.Failure switch
            {
                EntityFailure.AlreadyExists => ManagementReply.Failed(409, new(ServiceBusErrors.EntityAlreadyExists, error.Message)),
                EntityFailure.NotFound => ManagementReply.Failed(404, new(ErrorConditions.NotFound, error.Message)),
                EntityFailure.QuotaExceeded => ManagementReply.Failed(403, new(ErrorConditions.ResourceLimitExceeded, error.Message)),
                _ => ManagementReply.Failed(400, new(ServiceBusErrors.ArgumentError, error.Message)),
            };
        }
    }

    private static RuleDescription Description(ManagementRequest request)
    {
        var given = new Arguments(request.Get<Dictionary<object, object?>>("rule-description"));
        var rule = new RuleDescription(request.Get<string>("rule-name")) { Action = given.Map("sql-rule-action")?.Text("expression") };
        if (given.Map("sql-filter") is { } sql)
            return rule with { Filter = FilterKind.Sql, Expression = sql.Text("expression") };
        if (given.Map("correlation-filter") is { } correlation)
            return rule with { Filter = FilterKind.Correlation, Correlation = Correlation(correlation) };
        if (given.Map("false-filter") is not null)
            return rule with { Filter = FilterKind.False };
        return given.Map("true-filter") is not null
            ? rule
            : throw new AmqpException(new(
                ServiceBusErrors.ArgumentError, "rule-description has no sql-filter, correlation-filter, true-filter or false-filter."));
    }

    private static CorrelationFilter Correlation(Arguments given) => new()
    {
        CorrelationId = given.Text("correlation-id"),
        MessageId = given.Text("message-id"),
        To = given.Text("to"),
        ReplyTo = given.Text("reply-to"),
        Label = given.Text("label"),
        SessionId = given.Text("session-id"),
        ReplyToSessionId = given.Text("reply-to-session-id"),
        ContentType = given.Text("content-type"),
        Properties = given.Values("properties"),
    };

    private static AmqpMessage List(Subscription subscription, ManagementRequest request)
    {
        var skip = Math.Max(0, request.GetOrDefault<int>("skip"));
        var top = Math.Clamp(request.Get<int>("top"), 0, MostListed);
        var rules = subscription.Rules.Skip(skip).Take(top)
            .Select(rule => (object?)new Dictionary<object, object?> { ["rule-description"] = Encode(rule) })
            .ToList();
        return rules.Count == 0 ? ManagementReply.Empty() : ManagementReply.Ok("rules", rules);
    }

    private static DescribedValue Encode(RuleDescription rule) => new(RuleCode, new List<object?>
    {
        EncodeFilter(rule),
        rule.Action is null ? new DescribedValue(NoActionCode, new List<object?>()) : Sql(ActionCode, rule.Action),
        rule.Name,
        rule.CreatedAt,
    });

    private static DescribedValue EncodeFilter(RuleDescription rule) => rule.Filter switch
    {
        FilterKind.True => new DescribedValue(TrueCode, new List<object?>()),
        FilterKind.False => new DescribedValue(FalseCode, new List<object?>()),
        FilterKind.Sql => Sql(SqlCode, rule.Expression!),
        _ => new DescribedValue(CorrelationCode, new List<object?>
        {
            rule.Correlation!.CorrelationId,
            rule.Correlation.MessageId,
            rule.Correlation.To,
            rule.Correlation.ReplyTo,
            rule.Correlation.Label,
            rule.Correlation.SessionId,
            rule.Correlation.ReplyToSessionId,
            rule.Correlation.ContentType,
            rule.Correlation.Properties?.ToDictionary(
                entry => (object)entry.Key, entry => DescribedProperty.OfRuleValue(entry.Value.ToObject())),
        }),
    };

    // The last field is the level of compatibility that the service gives.
    private static DescribedValue Sql(ulong code, string expression) => new(code, new List<object?> { expression, 20 });

    /// <summary>A map of a request.</summary>
    private sealed class Arguments(Dictionary<object, object?> map)
    {
        public Arguments? Map(string name) => map.GetValueOrDefault(name) switch
        {
            null => null,
            Dictionary<object, object?> inner => new(inner),
            _ => throw ManagementRequest.Bad(name, typeof(Dictionary<string, object?>)),
        };

        public string? Text(string name) => map.GetValueOrDefault(name) switch
        {
            null => null,
            string text => text,
            _ => throw ManagementRequest.Bad(name, typeof(string)),
        };

        public Dictionary<string, RuleValue>? Values(string name) => (map.GetValueOrDefault(name) as Dictionary<object, object?>)?
            .ToDictionary(
                entry => entry.Key as string ?? throw ManagementRequest.Bad(name, typeof(Dictionary<string, object?>)),
                entry => RuleValue.Of(
                    DescribedProperty.ToRuleValue(entry.Value) ?? throw ManagementRequest.Bad(name, typeof(Dictionary<string, object?>))));
    }
}
