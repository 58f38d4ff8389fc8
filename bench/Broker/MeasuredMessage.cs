using DroneDelivery.Amqp;

namespace DroneDelivery.Bench.Broker;

/// <summary>The message that every broker gets: 1 KB of data and some application properties, no id.</summary>
internal static class MeasuredMessage
{
    private const int Size = 1024;

    private static readonly (string Name, object Value)[] Properties =
        [("CorrelationId", "3f0b9a52"), ("Source", "ingestion"), ("Attempt", 1), ("Expedited", true)];

    public static int MostProperties => Properties.Length;

    public static byte[] Encode(int properties, bool isDurable) => new AmqpMessage
    {
        Header = isDurable ? new MessageHeader { Durable = true } : null,
        ApplicationProperties = properties == 0
            ? null
            : Properties.Take(properties).ToDictionary(property => property.Name, property => (object?)property.Value),
        Data = [new byte[Size]],
    }.ToArray();
}
