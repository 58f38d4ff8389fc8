using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Entities;

// Entities are created, updated and deleted.
internal sealed partial class ServiceBusNamespace
{
    private readonly Lock _creating = new();

    /// <summary>What the options describe. A subscription's are those of <see cref="QueueOptions.OfSubscription"/>, or changed from
    /// there.</summary>
    /// <exception cref="EntityException">AlreadyExists, NotFound (a subscription's topic), InvalidOption or QuotaExceeded.</exception>
    public Queue Create(QueueOptions options)
    {
        options = Checked(options.Kind == EntityKind.Subscription ? WithNewRules(options) : options);
        lock (_creating)
        {
            RequireFree(options);
            RequireRoom();
            var queue = Begin(AddKept(options, Journal.Add(options)));
            queue.Topic?.Open();
            return queue;
        }
    }

    /// <summary>Changes what may change while messages are in the entity; new locks and messages follow the new options. A subscription
    /// keeps its rules.</summary>
    /// <exception cref="EntityException">NotFound, InvalidOption or Failed.</exception>
    public Queue Update(QueueOptions options)
    {
        var queue = Get(options.Name);
        if (queue.Failure is not null)
        {
            throw new EntityException(
                EntityFailure.Failed,
                $"'{queue.Name}' has failed: delete it and create it anew."
            );
        }

        options = Checked(options with { Kind = queue.Options.Kind });
        // As a whole: a queue and its dead-letter queues would follow different ones of two updates.
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

    /// <summary>Drops the entity and every message in it; a topic with its subscriptions.</summary>
    /// <exception cref="EntityException">NotFound.</exception>
    public void Delete(string path)
    {
        lock (_creating)
            Delete(Get(path));
    }

    /// <summary>The entity whose queue has retired, and no other that has its name since.</summary>
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
        // The journal may be cut off in between, and has no subscription without its topic then.
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

    /// <exception cref="EntityException">InvalidOption.</exception>
    private QueueOptions Checked(QueueOptions options)
    {
        Forwarding.RequireTargets(options.Validate(), this);
        // As the service does: what forwards is in use.
        return options.ForwardTo is null ? options : options with { AutoDeleteOnIdle = TimeSpan.MaxValue };
    }

    private Queue Begin(Queue queue)
    {
        Forwarding.Follow(queue, this);
        _idle.Watch(queue.Options);
        return queue;
    }

    private void RequireFree(QueueOptions options)
    {
        if (Find(options.Name) is not null)
            throw new EntityException(EntityFailure.AlreadyExists, $"'{options.Name}' exists already.");
        if (options.Kind == EntityKind.Subscription && TopicOf(options).SubscriptionCount >= Topic.MostSubscriptions)
        {
            throw new EntityException(
                EntityFailure.QuotaExceeded,
                $"A topic has at most {Topic.MostSubscriptions} subscriptions: delete one first."
            );
        }
    }

    /// <exception cref="EntityException">NotFound.</exception>
    private Topic TopicOf(QueueOptions subscription)
    {
        QueueOptions.TrySplit(subscription.Name, out var topic, out _);
        return Find(topic)?.Topic ?? throw EntityException.NotFound(topic);
    }

    private void RequireRoom()
    {
        if (_entities.Count >= MostQueues)
        {
            throw new EntityException(
                EntityFailure.QuotaExceeded,
                $"There are {MostQueues} queues, topics and subscriptions, the most that a namespace has: delete one first."
            );
        }
        if (Journal.Trouble is { } trouble)
        {
            throw new EntityException(
                EntityFailure.QuotaExceeded,
                $"The broker cannot write to its data folder: {trouble}"
            );
        }
    }
}
