using System.Globalization;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Amqp;

namespace DroneDelivery.Bench.Broker;

/// <summary>The message that every broker gets: 1 KB of data and some application properties, no id.</summary>
internal static class MeasuredMessage
{
    public const int Size = 1024;

    private static readonly (string Name, object Value)[] Properties =
    [
        ("CorrelationId", "3f0b9a52"),
        ("Source", "ingestion"),
        ("Attempt", 1),
        ("Expedited", true),
    ];

    public static int MostProperties => Properties.Length;

    /// <summary>The application properties for a protocol that knows only text.</summary>
    public static IEnumerable<(string Name, string Value)> AsText(int properties) =>
        Properties
            .Take(properties)
            .Select(property =>
                (
                    property.Name,
                    property.Value is bool flag
                        ? flag
                            ? "true"
                            : "false"
                        : Convert.ToString(property.Value, CultureInfo.InvariantCulture)!
                )
            );

    public static ServiceBusMessage ForSdk(int properties)
    {
        var message = new ServiceBusMessage(new byte[Size]);
        foreach (var (name, value) in Properties.Take(properties))
            message.ApplicationProperties[name] = value;
        return message;
    }

    public static byte[] Encode(int properties, bool isDurable) =>
        new AmqpMessage
        {
            Header = isDurable ? new MessageHeader { Durable = true } : null,
            ApplicationProperties =
                properties == 0
                    ? null
                    : Properties
                        .Take(properties)
                        .ToDictionary(property => property.Name, property => (object?)property.Value),
            Data = [new byte[Size]],
        }.ToArray();
}
