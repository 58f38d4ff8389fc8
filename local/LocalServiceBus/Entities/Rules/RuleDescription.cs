using System.Globalization;
using System.Reflection;
using System.Xml;

namespace DroneDelivery.LocalServiceBus.Entities.Rules;

public enum FilterKind
{
    True,
    False,
    Sql,
    Correlation,
}

/// <summary>A rule of a subscription: a filter, and an optional action that changes the matching messages.</summary>
public sealed record RuleDescription(string Name)
{
    /// <summary>The name of the initial rule of a subscription.</summary>
    public const string DefaultName = "$Default";

    public FilterKind Filter { get; init; }

    /// <summary>The expression of a SQL filter.</summary>
    public string? Expression { get; init; }

    public IReadOnlyDictionary<string, RuleValue>? Parameters { get; init; }

    /// <summary>The conditions of a correlation filter.</summary>
    public CorrelationFilter? Correlation { get; init; }

    /// <summary>The SQL of the action; <c>null</c> if the rule doesn't change messages.</summary>
    public string? Action { get; init; }

    public IReadOnlyDictionary<string, RuleValue>? ActionParameters { get; init; }

    public DateTimeOffset CreatedAt { get; init; }

    internal static RuleDescription Of(
        string name,
        FilterKind kind,
        Func<string, string?> text,
        Func<string, IReadOnlyDictionary<string, RuleValue>?> values
    )
    {
        var rule = new RuleDescription(name) { Filter = kind };
        return kind switch
        {
            FilterKind.Sql => rule with { Expression = text("SqlExpression"), Parameters = values("Parameters") },
            FilterKind.Correlation => rule with
            {
                Correlation = CorrelationFilter.Of(text) with { Properties = values("Properties") },
            },
            _ => rule,
        };
    }
}

/// <summary>A filter that accepts messages in which all specified properties are equal.</summary>
public sealed record CorrelationFilter
{
    public string? CorrelationId { get; init; }
    public string? MessageId { get; init; }
    public string? To { get; init; }
    public string? ReplyTo { get; init; }
    public string? Label { get; init; }
    public string? SessionId { get; init; }
    public string? ReplyToSessionId { get; init; }
    public string? ContentType { get; init; }
    public IReadOnlyDictionary<string, RuleValue>? Properties { get; init; }

    // The properties above, named as in SystemProperty.
    private static readonly PropertyInfo[] SystemProperties =
    [
        .. typeof(CorrelationFilter).GetProperties().Where(property => property.PropertyType == typeof(string)),
    ];

    internal static CorrelationFilter Of(Func<string, string?> text)
    {
        var filter = new CorrelationFilter();
        foreach (var property in SystemProperties)
            property.SetValue(filter, text(property.Name));
        return filter;
    }

    /// <summary>All system properties in the order of declaration, which is the order of the AMQP list.</summary>
    internal IEnumerable<(string Name, string? Value)> All() =>
        SystemProperties.Select(property => (property.Name, (string?)property.GetValue(this)));

    internal IEnumerable<(string Name, string Value)> Specified() =>
        All().Where(one => one.Value is not null).Select(one => (one.Name, one.Value!));
}

/// <summary>A typed value in XML notation.</summary>
/// <param name="Type">A simple type of XML Schema, without prefix.</param>
public sealed record RuleValue(string Type, string Text)
{
    internal static RuleValue Of(object value) =>
        SqlValue.Of(value) switch
        {
            string text => new("string", text),
            long number => new(value is int ? "int" : "long", XmlConvert.ToString(number)),
            double number => new("double", XmlConvert.ToString(number)),
            decimal number => new("decimal", XmlConvert.ToString(number)),
            bool flag => new("boolean", XmlConvert.ToString(flag)),
            Guid id => new("guid", XmlConvert.ToString(id)),
            DateTimeOffset time => new("dateTime", XmlConvert.ToString(time)),
            TimeSpan span => new("duration", XmlConvert.ToString(span)),
            _ => throw new EntityException(
                EntityFailure.InvalidOption,
                $"Values of type {value.GetType().Name} are not supported in rules."
            ),
        };

    internal object ToObject()
    {
        try
        {
            return Type switch
            {
                "string" => Text,
                "int" when int.TryParse(Text, CultureInfo.InvariantCulture, out var number) => number,
                "int" or "long" or "short" or "byte" or "unsignedByte" or "unsignedShort" or "unsignedInt" =>
                    XmlConvert.ToInt64(Text),
                "double" or "float" => XmlConvert.ToDouble(Text),
                "decimal" or "unsignedLong" => XmlConvert.ToDecimal(Text),
                "boolean" => XmlConvert.ToBoolean(Text),
                "guid" => XmlConvert.ToGuid(Text),
                "duration" => XmlConvert.ToTimeSpan(Text),
                "dateTime" => DateTimeOffset.Parse(Text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal),
                _ => throw new FormatException($"'{Excerpt.Of(Type)}' is not a valid type for a value of a rule."),
            };
        }
        catch (Exception error) when (error is FormatException or OverflowException)
        {
            throw new EntityException(EntityFailure.InvalidOption, error.Message);
        }
    }
}
