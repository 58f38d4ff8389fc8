using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Entities;

internal sealed partial class ServiceBusNamespace
{
    private readonly Lock _creating = new();

    /// <summary>Creates an entity. The options of a subscription derive from <see
    /// cref="QueueOptions.OfSubscription"/>.</summary>
    public Queue Create(QueueOptions options)
    {
        options = Checked(options.Kind == EntityKind.Subscription ? WithNewRules(options) : options);
        lock (_creating)
        {
            RequireFree(options);
            RequireRoom();
            var queue = Begin(AddStored(options, Journal.Add(options)));
            queue.Topic?.Open();
            return queue;
        }
    }

    /// <summary>Changes the options of an entity. They apply to new locks and messages. A subscription keeps its
    /// rules.</summary>
    public Queue Update(QueueOptions options)
    {
        var queue = Get(options.Name);
        if (queue.Failure is not null)
        {
            throw new EntityException(
                EntityFailure.Failed,
                $"'{queue.Name}' has failed. Delete it and create it again."
            );
        }

        options = Checked(options with { Kind = queue.Options.Kind });
        // Under a lock, so that concurrent updates don't leave a queue and its dead-letter queues with different
        // options.
        lock (_creating)
        {
            if (queue.Subscription is { } subscription)
                subscription.Update(options);
            else
                queue.Update(options);
            Begin(queue);
        }
        if (queue.IsClosed || queue.DeadLetterQueue is { IsClosed: true })
            QueueClosed?.Invoke(queue);
        return queue;
    }

    /// <summary>Deletes the entity with its messages; a topic with its subscriptions.</summary>
    public void Delete(string path)
    {
        lock (_creating)
            Delete(Get(path));
    }

    /// <summary>Deletes the entity of a retired queue, unless a new entity now has its name.</summary>
    internal void DeleteRetired(Queue queue)
    {
        lock (_creating)
        {
            if (Find(queue.Name) == queue)
                Delete(queue);
        }
    }

    private void Delete(Queue queue)
    {
        _entities.TryRemove(queue.Name, out _);
        // Subscriptions first: if the journal is cut off in between, no subscription remains without its topic.
        foreach (var subscription in queue.Topic?.Subscriptions ?? [])
            Delete(subscription.Queue);
        queue.Subscription?.Topic.Remove(queue.Subscription);
        queue.Delete();
        QueueClosed?.Invoke(queue);
    }

    private QueueOptions WithNewRules(QueueOptions options) =>
        options with
        {
            Rules =
            [
                .. (options.Rules ?? []).Select(rule =>
                    new Rule(rule with { CreatedAt = Time.GetUtcNow() }).Description
                ),
            ],
        };

    private QueueOptions Checked(QueueOptions options)
    {
        Forwarding.RequireTargets(options.Validate(), this);
        // As in Service Bus, a forwarding entity counts as used.
        return options.ForwardTo is null ? options : options with { AutoDeleteOnIdle = TimeSpan.MaxValue };
    }

    private Queue Begin(Queue queue)
    {
        Forwarding.Configure(queue, this);
        _idle.Watch(queue.Options);
        return queue;
    }

    private void RequireFree(QueueOptions options)
    {
        if (Find(options.Name) is not null)
            throw new EntityException(EntityFailure.AlreadyExists, $"'{options.Name}' already exists.");
        if (options.Kind == EntityKind.Subscription && TopicOf(options).SubscriptionCount >= Topic.MaxSubscriptions)
        {
            throw new EntityException(
                EntityFailure.QuotaExceeded,
                $"A topic can have at most {Topic.MaxSubscriptions} subscriptions. Delete one first."
            );
        }
    }

    private Topic TopicOf(QueueOptions subscription)
    {
        QueueOptions.TrySplit(subscription.Name, out var topic, out _);
        return Find(topic)?.Topic ?? throw EntityException.NotFound(topic);
    }

    private void RequireRoom()
    {
        if (_entities.Count >= MaxQueues)
        {
            throw new EntityException(
                EntityFailure.QuotaExceeded,
                $"The namespace has reached its limit of {MaxQueues} queues, topics, and subscriptions. Delete one first."
            );
        }
        if (Journal.WriteError is { } trouble)
        {
            throw new EntityException(
                EntityFailure.QuotaExceeded,
                $"The broker cannot write to its data folder: {trouble}"
            );
        }
    }
}
