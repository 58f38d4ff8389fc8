using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.ServiceBus;

/// <summary>The entities of a broker without configured or stored entities, named as in the official emulator's
/// configuration, so that its samples run.</summary>
internal static class FirstEntities
{
    private const string Queue = "queue.1",
        Topic = "topic.1",
        Subscription = "subscription.1";

    public const string Description = $"the queue {Queue}, and the topic {Topic} with {Subscription}";

    /// <returns><c>true</c> if they were created.</returns>
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
