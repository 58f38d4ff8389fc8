using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Wire;

namespace DroneDelivery.LocalServiceBus.Journal;

/// <summary>Application properties as the file has them: a map of AMQP, which has every type that a property may have.</summary>
internal static class ChangedProperties
{
    public static byte[]? Encode(IReadOnlyDictionary<string, object?>? properties)
    {
        if (properties is null)
            return null;
        using var writer = new AmqpWriter();
        writer.WriteValue(properties.ToDictionary(entry => (object)entry.Key, entry => DescribedProperty.ToAmqp(entry.Value)));
        return writer.WrittenSpan.ToArray();
    }

    public static Dictionary<string, object?>? Decode(byte[]? encoded) => encoded is null
        ? null
        : ((Dictionary<object, object?>)new AmqpReader(encoded).ReadValue()!)
            .ToDictionary(entry => (string)entry.Key, entry => DescribedProperty.FromAmqp(entry.Value));
}
