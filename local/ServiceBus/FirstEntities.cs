using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.ServiceBus;

/// <summary>What a broker has to begin with if nobody has named anything: the names are those of the official emulator's own file, so that
/// its samples run.</summary>
internal static class FirstEntities
{
    private const string Queue = "queue.1",
        Topic = "topic.1",
        Subscription = "subscription.1";

    public const string Description = $"the queue {Queue}, and the topic {Topic} with {Subscription}";

    /// <returns>Whether there was nothing else.</returns>
    public static bool Create(ServiceBusNamespace entities)
    {
        if (entities.All.Any())
            return false;
        entities.Create(new QueueOptions(Queue));
        entities.Create(new QueueOptions(Topic) { Kind = EntityKind.Topic });
        entities.Create(QueueOptions.OfSubscription(Topic, Subscription));
        return true;
    }
}
