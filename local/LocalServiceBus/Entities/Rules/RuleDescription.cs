using System.Globalization;
using System.Reflection;
using System.Xml;

namespace DroneDelivery.LocalServiceBus.Entities.Rules;

public enum FilterKind
{
    /// <summary>Every message.</summary>
    True,

    /// <summary>No message.</summary>
    False,
    Sql,
    Correlation,
}

/// <summary>Which messages of the topic a subscription gets, and what is changed in them.</summary>
/// <param name="Name">One rule of the subscription has it.</param>
public sealed record RuleDescription(string Name)
{
    /// <summary>The rule that a subscription begins with.</summary>
    public const string DefaultName = "$Default";

    public FilterKind Filter { get; init; }

    /// <summary>Of a SQL filter.</summary>
    public string? Expression { get; init; }

    public IReadOnlyDictionary<string, RuleValue>? Parameters { get; init; }

    /// <summary>Of a correlation filter.</summary>
    public CorrelationFilter? Correlation { get; init; }

    /// <summary>SQL; null: the message stays as it is.</summary>
    public string? Action { get; init; }

    public IReadOnlyDictionary<string, RuleValue>? ActionParameters { get; init; }

    public DateTimeOffset CreatedAt { get; init; }

    /// <summary>Creates a rule from a filter in any notation.</summary>
    /// <param name="text">A string of the filter by its name in the management API; <c>null</c> if it is absent.</param>
    /// <param name="values">Typed values of the filter; <c>null</c> if they are absent.</param>
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

/// <summary>All that is given must be equal in the message.</summary>
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

    // The system properties above, by the names of SystemProperty.
    private static readonly PropertyInfo[] SystemProperties =
    [
        .. typeof(CorrelationFilter).GetProperties().Where(property => property.PropertyType == typeof(string)),
    ];

    /// <param name="text">Returns the value for a system property, by its name; <c>null</c> if the filter has none.</param>
    internal static CorrelationFilter Of(Func<string, string?> text)
    {
        var filter = new CorrelationFilter();
        foreach (var property in SystemProperties)
            property.SetValue(filter, text(property.Name));
        return filter;
    }

    /// <summary>All system properties in the order of AMQP's list, which is the order of their declaration.</summary>
    internal IEnumerable<(string Name, string? Value)> All() =>
        SystemProperties.Select(property => (property.Name, (string?)property.GetValue(this)));

    /// <summary>The system properties that the filter has a value for.</summary>
    internal IEnumerable<(string Name, string Value)> Given() =>
        All().Where(one => one.Value is not null).Select(one => (one.Name, one.Value!));
}

/// <summary>A value as XML writes it.</summary>
/// <param name="Type">A simple type of XML Schema, without prefix.</param>
/// <param name="Text">As that type has it.</param>
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
                $"A rule cannot have a {value.GetType().Name} for a value."
            ),
        };

    /// <exception cref="EntityException">InvalidOption: the text is none of the type, or the type is none.</exception>
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
                _ => throw new FormatException($"'{Excerpt.Of(Type)}' is no type of a rule's value."),
            };
        }
        catch (Exception error) when (error is FormatException or OverflowException)
        {
            throw new EntityException(EntityFailure.InvalidOption, error.Message);
        }
    }
}
