using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>An application property of a type that AMQP lacks. SDKs encode DateTimeOffset, TimeSpan, and Uri as
/// described types.</summary>
internal sealed record DescribedProperty(DescribedValue Value) : ISizedValue
{
    private static readonly Symbol TimeSpanName = "com.microsoft:timespan";

    public long Size => MemorySize.Of("", Value.Descriptor) + MemorySize.Of("", Value.Value);

    public static object? FromAmqp(object? value) =>
        value is DescribedValue described ? new DescribedProperty(described) : value;

    public static object? ToAmqp(object? value) => value is DescribedProperty property ? property.Value : value;

    public static object? ToRuleValue(object? value) =>
        value switch
        {
            Symbol symbol => symbol.Value,
            DescribedValue { Descriptor: Symbol { Value: "com.microsoft:datetime-offset" }, Value: long ticks }
                when ticks >= 0 && ticks <= DateTimeOffset.MaxValue.Ticks => new DateTimeOffset(ticks, TimeSpan.Zero),
            DescribedValue { Descriptor: Symbol name, Value: long ticks } when name == TimeSpanName =>
                TimeSpan.FromTicks(ticks),
            DescribedValue { Descriptor: Symbol { Value: "com.microsoft:uri" }, Value: string address } => address,
            _ => value,
        };

    /// <summary>Converts from a value of a rule. SDKs don't support AMQP decimals, so decimals become doubles.</summary>
    public static object? OfRuleValue(object? value) =>
        value switch
        {
            decimal number => (double)number,
            TimeSpan span => new DescribedValue(TimeSpanName, span.Ticks),
            _ => value,
        };
}
