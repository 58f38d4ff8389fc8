using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;

namespace DroneDelivery.LocalServiceBus.Journal;

/// <summary>Where a queue has a message. The numbers are those of the file.</summary>
internal enum Place
{
    Queue = 0,
    DeadLetters = 1,
    TransferDeadLetters = 2,
}

/// <summary>A message as the file has it: everything but locks.</summary>
/// <param name="Message">As it was when the row was made; nobody changes it. Its key is kept when it moves to a dead-letter queue.</param>
/// <param name="Properties">Those that receivers changed, encoded when the row is made: what cannot be encoded fails there, and never while
/// the file is written, where it would fail again with every try.</param>
internal readonly record struct MessageRow(long Queue, Place Place, QueuedMessage Message, byte[]? Properties)
{
    public MessageState State =>
        Message.IsDeferred ? MessageState.Deferred
        : Message.State == MessageState.Scheduled ? MessageState.Scheduled
        : MessageState.Active;
}

/// <summary>Application properties as the file has them: a map of AMQP, which has every type that a property may have.</summary>
internal static class ChangedProperties
{
    public static byte[]? Encode(IReadOnlyDictionary<string, object?>? properties)
    {
        if (properties is null)
            return null;
        using var writer = new AmqpWriter();
        writer.WriteValue(
            properties.ToDictionary(entry => (object)entry.Key, entry => DescribedProperty.ToAmqp(entry.Value))
        );
        return writer.WrittenSpan.ToArray();
    }

    public static Dictionary<string, object?>? Decode(byte[]? encoded) =>
        encoded is null
            ? null
            : ((Dictionary<object, object?>)new AmqpReader(encoded).ReadValue()!).ToDictionary(
                entry => (string)entry.Key,
                entry => DescribedProperty.FromAmqp(entry.Value)
            );
}
