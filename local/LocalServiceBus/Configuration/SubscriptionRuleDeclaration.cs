using System.Text.Json;
using System.Text.Json.Serialization;
using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Configuration;

internal sealed record SubscriptionRuleDeclaration(string? Name, RuleProperties? Properties)
{
    /// <exception cref="FormatException">The rule is invalid. The message starts with the property.</exception>
    public RuleDescription ToDescription()
    {
        var rule = new RuleDescription(Name ?? throw new FormatException("Name: is missing."))
        {
            Action = Properties?.Action?.SqlExpression,
        };
        return (Properties?.FilterType, Properties?.SqlFilter, Properties?.CorrelationFilter) switch
        {
            (null, null, null) => rule,
            // Tools also write an empty filter of the other type.
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

internal sealed record RuleProperties(
    string? FilterType,
    SqlDeclaration? SqlFilter,
    CorrelationFilter? CorrelationFilter,
    SqlDeclaration? Action
);

internal sealed record SqlDeclaration(string? SqlExpression);

internal sealed class RuleValueConverter : JsonConverter<RuleValue>
{
    public override RuleValue Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        reader.TokenType switch
        {
            JsonTokenType.String => RuleValue.Of(reader.GetString()!),
            JsonTokenType.True or JsonTokenType.False => RuleValue.Of(reader.GetBoolean()),
            JsonTokenType.Number when reader.TryGetInt64(out var whole) => RuleValue.Of(whole),
            JsonTokenType.Number => RuleValue.Of(reader.GetDouble()),
            _ => throw new JsonException("must be a string, number, or Boolean."),
        };

    public override void Write(Utf8JsonWriter writer, RuleValue value, JsonSerializerOptions options) =>
        throw new NotSupportedException();
}
