using System.Runtime.Serialization;
using System.Text;
using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus;

/// <summary>Application properties as AMQP values and back. What AMQP has no type for is described, as every Service Bus
/// client does it.</summary>
internal static class PropertyValues
{
    private static readonly Symbol DescribedUri = "com.microsoft:uri";
    private static readonly Symbol DescribedDateTimeOffset = "com.microsoft:datetime-offset";
    private static readonly Symbol DescribedTimeSpan = "com.microsoft:timespan";

    /// <exception cref="SerializationException">The value has a type that does not travel.</exception>
    public static object? ToAmqp(string name, object? value) => value switch
    {
        null or bool or byte or sbyte or ushort or short or uint or int or ulong or long or float or double
            or Guid or string or byte[] => value,
        char character => new Rune(character),
        DateTime moment => new DateTimeOffset(moment.ToUniversalTime()),
        DateTimeOffset moment => new DescribedValue(DescribedDateTimeOffset, moment.UtcTicks),
        TimeSpan duration => new DescribedValue(DescribedTimeSpan, duration.Ticks),
        Uri address => new DescribedValue(DescribedUri, address.OriginalString),
        _ => throw new SerializationException($"The application property '{name}' is a {value.GetType()}, which a message cannot carry."),
    };

    public static Dictionary<Symbol, object?>? ToAmqp(IDictionary<string, object>? properties)
    {
        if (properties is null || properties.Count == 0)
            return null;
        var map = new Dictionary<Symbol, object?>(properties.Count);
        foreach (var (name, value) in properties)
            map[name] = ToAmqp(name, value);
        return map;
    }

    public static Dictionary<string, object> FromAmqp(Dictionary<string, object?> properties)
    {
        var values = new Dictionary<string, object>(properties.Count);
        foreach (var (name, value) in properties)
            values[name] = FromAmqp(value)!;
        return values;
    }

    private static object? FromAmqp(object? value) => value switch
    {
        Rune character => (char)character.Value,
        Symbol symbol => symbol.Value,
        DateTimeOffset moment => moment.UtcDateTime,
        DescribedValue { Descriptor: Symbol name, Value: long ticks } when name == DescribedDateTimeOffset =>
            new DateTimeOffset(ticks, TimeSpan.Zero),
        DescribedValue { Descriptor: Symbol name, Value: long ticks } when name == DescribedTimeSpan => new TimeSpan(ticks),
        DescribedValue { Descriptor: Symbol name, Value: string address } when name == DescribedUri =>
            new Uri(address, UriKind.RelativeOrAbsolute),
        _ => value,
    };
}
