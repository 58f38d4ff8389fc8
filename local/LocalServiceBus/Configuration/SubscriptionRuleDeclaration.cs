using System.Text.Json;
using System.Text.Json.Serialization;
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
            // Tools write an empty filter of the other type as well.
            ("Sql", { } sql, _) => Sql(sql),
            (null, { } sql, null) => Sql(sql),
            ("Correlation", _, { } correlation) => Correlation(correlation),
            (null, null, { } correlation) => Correlation(correlation),
            _ => throw new FormatException(
                "Properties: FilterType must be Sql if there is a SqlFilter, or Correlation if there is a CorrelationFilter."
            ),
        };

        RuleDescription Sql(SqlDeclaration sql) =>
            rule with
            {
                Filter = FilterKind.Sql,
                Expression = sql.SqlExpression,
            };

        RuleDescription Correlation(CorrelationFilter correlation) =>
            rule with
            {
                Filter = FilterKind.Correlation,
                Correlation = correlation,
            };
    }
}

/// <param name="FilterType">Sql or Correlation</param>
/// <param name="SqlFilter">null: the other one</param>
/// <param name="CorrelationFilter">null: the other one</param>
/// <param name="Action">null: the message stays as it is</param>
internal sealed record RuleProperties(
    string? FilterType,
    SqlDeclaration? SqlFilter,
    CorrelationFilter? CorrelationFilter,
    SqlDeclaration? Action
);

internal sealed record SqlDeclaration(string? SqlExpression);

/// <summary>A value of a correlation filter, as JSON has it.</summary>
internal sealed class RuleValueConverter : JsonConverter<RuleValue>
{
    public override RuleValue Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        reader.TokenType switch
        {
            JsonTokenType.String => RuleValue.Of(reader.GetString()!),
            JsonTokenType.True or JsonTokenType.False => RuleValue.Of(reader.GetBoolean()),
            JsonTokenType.Number when reader.TryGetInt64(out var whole) => RuleValue.Of(whole),
            JsonTokenType.Number => RuleValue.Of(reader.GetDouble()),
            _ => throw new JsonException("must be a string, a number or a boolean."),
        };

    public override void Write(Utf8JsonWriter writer, RuleValue value, JsonSerializerOptions options) =>
        throw new NotSupportedException();
}
