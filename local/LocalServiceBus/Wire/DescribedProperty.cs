using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>An application property of a type that AMQP does not have: SDKs describe dates with offset, time spans and addresses.</summary>
internal sealed record DescribedProperty(DescribedValue Value) : ISizedValue
{
    public long Size => PropertySize.Of("", Value.Descriptor) + PropertySize.Of("", Value.Value);

    public static object? FromAmqp(object? value) => value is DescribedValue described ? new DescribedProperty(described) : value;

    public static object? ToAmqp(object? value) => value is DescribedProperty property ? property.Value : value;
}
