using Azure.Messaging.ServiceBus;
using DroneDelivery.Amqp;

namespace DroneDelivery.Bench.Broker;

/// <summary>The message that every broker receives: 1 KB of data, four application properties, no id.</summary>
internal static class MeasuredMessage
{
    private const int Size = 1024;

    private static readonly Dictionary<string, object?> Properties = new()
    {
        ["CorrelationId"] = "3f0b9a52",
        ["Source"] = "ingestion",
        ["Attempt"] = 1,
        ["Expedited"] = true,
    };

    public static ServiceBusMessage ForSdk()
    {
        var message = new ServiceBusMessage(new byte[Size]);
        foreach (var (name, value) in Properties)
            message.ApplicationProperties[name] = value;
        return message;
    }

    public static byte[] Encode(bool isDurable) =>
        new AmqpMessage
        {
            Header = isDurable ? new MessageHeader { Durable = true } : null,
            ApplicationProperties = Properties,
            Data = [new byte[Size]],
        }.ToArray();
}
