using System.Text.Json;
using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Configuration;

internal sealed record SubscriptionRuleDeclaration(string? Name, RuleProperties? Properties)
{
    /// <exception cref="FormatException">The message begins with the member that is wrong.</exception>
    public RuleDescription ToDescription()
    {
        var rule = new RuleDescription(Name ?? throw new FormatException("Name: is missing."))
        {
            Action = Properties?.Action?.SqlExpression,
        };
        return (Properties?.FilterType, Properties?.SqlFilter, Properties?.CorrelationFilter) switch
        {
            (null, null, null) => rule,
            (null or "Sql", { } sql, null) => rule with { Filter = FilterKind.Sql, Expression = sql.SqlExpression },
            (null or "Correlation", null, { } correlation) =>
                rule with { Filter = FilterKind.Correlation, Correlation = correlation.ToFilter() },
            _ => throw new FormatException(
                "Properties: FilterType must be Sql with SqlFilter alone beside it, or Correlation with CorrelationFilter alone."),
        };
    }
}

/// <param name="FilterType">Sql or Correlation</param>
/// <param name="SqlFilter">null: the other one</param>
/// <param name="CorrelationFilter">null: the other one</param>
/// <param name="Action">null: the message stays as it is</param>
internal sealed record RuleProperties(
    string? FilterType, SqlDeclaration? SqlFilter, CorrelationDeclaration? CorrelationFilter, SqlDeclaration? Action);

internal sealed record SqlDeclaration(string? SqlExpression);

internal sealed record CorrelationDeclaration
{
    public string? ContentType { get; init; }
    public string? CorrelationId { get; init; }
    public string? Label { get; init; }
    public string? MessageId { get; init; }
    public string? ReplyTo { get; init; }
    public string? ReplyToSessionId { get; init; }
    public string? SessionId { get; init; }
    public string? To { get; init; }
    public IReadOnlyDictionary<string, JsonElement>? Properties { get; init; }

    public CorrelationFilter ToFilter() => new()
    {
        ContentType = ContentType,
        CorrelationId = CorrelationId,
        Label = Label,
        MessageId = MessageId,
        ReplyTo = ReplyTo,
        ReplyToSessionId = ReplyToSessionId,
        SessionId = SessionId,
        To = To,
        Properties = Properties?.ToDictionary(entry => entry.Key, entry => Value(entry.Key, entry.Value)),
    };

    private static RuleValue Value(string name, JsonElement value) => value.ValueKind switch
    {
        JsonValueKind.String => RuleValue.Of(value.GetString()!),
        JsonValueKind.True or JsonValueKind.False => RuleValue.Of(value.GetBoolean()),
        JsonValueKind.Number when value.TryGetInt64(out var whole) => RuleValue.Of(whole),
        JsonValueKind.Number => RuleValue.Of(value.GetDouble()),
        _ => throw new FormatException($"Properties.CorrelationFilter.Properties.{name}: must be a string, a number or a boolean."),
    };
}
