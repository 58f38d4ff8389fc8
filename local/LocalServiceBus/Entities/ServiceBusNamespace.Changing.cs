using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Entities;

// Entities are created, updated and deleted.
internal sealed partial class ServiceBusNamespace
{
    private readonly Lock _creating = new();

    /// <exception cref="EntityException">AlreadyExists, InvalidOption or QuotaExceeded.</exception>
    public Queue CreateQueue(QueueOptions options) => Create(options);

    /// <exception cref="EntityException">AlreadyExists, InvalidOption or QuotaExceeded.</exception>
    public Topic CreateTopic(QueueOptions options)
    {
        lock (_creating)
        {
            Create(options with { Kind = EntityKind.Topic });
            return _topics[options.Name];
        }
    }

    /// <param name="options">As <see cref="QueueOptions.OfSubscription"/> has them, or changed from there.</param>
    /// <exception cref="EntityException">NotFound, AlreadyExists, InvalidOption or QuotaExceeded.</exception>
    public Subscription CreateSubscription(QueueOptions options)
    {
        lock (_creating)
        {
            Create(options);
            return FindSubscription(options.Name)!;
        }
    }

    /// <summary>What the options describe.</summary>
    /// <exception cref="EntityException">See the method of each kind.</exception>
    internal Queue Create(QueueOptions options)
    {
        options = Checked(options.Kind == EntityKind.Subscription ? WithNewRules(options) : options);
        lock (_creating)
        {
            RequireFree(options);
            RequireRoom();
            var queue = Begin(AddKept(options, Journal.Add(options)));
            if (options.Kind == EntityKind.Topic)
                _topics[options.Name].Open();
            return queue;
        }
    }

    /// <summary>Changes what may change while messages are in the queue; new locks and messages follow the new options.</summary>
    /// <exception cref="EntityException">NotFound, InvalidOption or Failed.</exception>
    public Queue UpdateQueue(QueueOptions options)
    {
        var queue = GetQueue(options.Name);
        Update(queue, options, queue.Update);
        return queue;
    }

    /// <exception cref="EntityException">NotFound, InvalidOption or Failed.</exception>
    public Topic UpdateTopic(QueueOptions options)
    {
        var topic = GetTopic(options.Name);
        Update(topic.Intake, options with { Kind = EntityKind.Topic }, topic.Intake.Update);
        return topic;
    }

    /// <exception cref="EntityException">NotFound, InvalidOption or Failed.</exception>
    public Subscription UpdateSubscription(QueueOptions options)
    {
        QueueOptions.TrySplit(options.Name, out var topic, out var name);
        var subscription = GetTopic(topic).Get(name);
        Update(subscription.Queue, options, subscription.Update);
        return subscription;
    }

    /// <summary>Makes an entity what the options describe. A subscription gets the rules too.</summary>
    /// <exception cref="EntityException">See the method of each kind.</exception>
    internal void Update(QueueOptions options)
    {
        if (options.Kind == EntityKind.Topic)
            UpdateTopic(options);
        else if (options.Kind == EntityKind.Subscription)
            UpdateSubscription(options).ReplaceRules(options.Rules ?? []);
        else
            UpdateQueue(options);
    }

    /// <summary>Drops the queue and every message in it.</summary>
    /// <exception cref="EntityException">NotFound.</exception>
    public void DeleteQueue(string name)
    {
        if (!_queues.TryRemove(name, out var queue))
            throw new EntityException(EntityFailure.NotFound, $"There is no queue '{name}'.");
        Delete(queue);
    }

    /// <summary>With its subscriptions and all their messages.</summary>
    /// <exception cref="EntityException">NotFound.</exception>
    public void DeleteTopic(string name)
    {
        lock (_creating)
        {
            var topic = GetTopic(name);
            _topics.TryRemove(name, out _);
            // The journal may be cut off in between, and has no subscription without its topic then.
            foreach (var subscription in topic.Subscriptions)
                Delete(subscription.Queue);
            Delete(topic.Intake);
        }
    }

    /// <exception cref="EntityException">NotFound.</exception>
    public void DeleteSubscription(string topic, string name)
    {
        var of = GetTopic(topic);
        if (!of.TryRemove(name, out var subscription))
            throw new EntityException(EntityFailure.NotFound, $"There is no subscription '{Excerpt.Of(name)}' of topic '{of.Name}'.");
        Delete(subscription.Queue);
    }

    /// <summary>The entity whose queue has retired, and no other that has its name since.</summary>
    internal void DeleteRetired(Queue queue)
    {
        QueueOptions.TrySplit(queue.Name, out var topic, out var name);
        lock (_creating)
        {
            if (FindSource(queue.Name) != queue && FindTarget(queue.Name) != queue)
                return;
            if (queue.Options.Kind == EntityKind.Queue)
                DeleteQueue(queue.Name);
            else if (queue.Options.Kind == EntityKind.Topic)
                DeleteTopic(topic);
            else
                DeleteSubscription(topic, name);
        }
    }

    private void Delete(Queue queue)
    {
        queue.Delete();
        QueueClosed?.Invoke(queue);
    }

    private QueueOptions WithNewRules(QueueOptions options) => options with
    {
        Rules = [.. (options.Rules ?? []).Select(rule => new Rule(rule with { CreatedAt = Time.GetUtcNow() }).Description)],
    };

    /// <exception cref="EntityException">InvalidOption.</exception>
    private QueueOptions Checked(QueueOptions options)
    {
        _forwarding.RequireTargets(options.Validate());
        // As the service does: what forwards is in use.
        return options.ForwardTo is null ? options : options with { AutoDeleteOnIdle = TimeSpan.MaxValue };
    }

    private Queue Begin(Queue queue)
    {
        _forwarding.Follow(queue);
        _idle.Watch(queue.Options);
        return queue;
    }

    /// <summary>The same of other options than before.</summary>
    private void Update(Queue queue, QueueOptions options, Action<QueueOptions> update)
    {
        if (queue.Failure is not null)
            throw new EntityException(EntityFailure.Failed, $"'{queue.Name}' has failed: delete it and create it anew.");
        update(Checked(options));
        lock (_creating)
            Begin(queue);
        if (queue.IsClosed || queue.DeadLetterQueue is { IsClosed: true })
            QueueClosed?.Invoke(queue);
    }

    private void RequireFree(QueueOptions options)
    {
        if (options.Kind != EntityKind.Subscription)
        {
            if (_queues.ContainsKey(options.Name) || _topics.ContainsKey(options.Name))
                throw new EntityException(EntityFailure.AlreadyExists, $"A queue or topic '{options.Name}' exists already.");
            return;
        }
        QueueOptions.TrySplit(options.Name, out var topicName, out var name);
        var topic = GetTopic(topicName);
        if (topic.TryGet(name, out _))
            throw new EntityException(EntityFailure.AlreadyExists, $"Subscription '{name}' of topic '{topic.Name}' exists already.");
        if (topic.SubscriptionCount >= Topic.MostSubscriptions)
        {
            throw new EntityException(
                EntityFailure.QuotaExceeded, $"A topic has at most {Topic.MostSubscriptions} subscriptions: delete one first.");
        }
    }

    private void RequireRoom()
    {
        if (_queues.Count + _topics.Count + _topics.Values.Sum(topic => topic.SubscriptionCount) >= MostQueues)
        {
            throw new EntityException(
                EntityFailure.QuotaExceeded,
                $"There are {MostQueues} queues, topics and subscriptions, the most that a namespace has: delete one first.");
        }
        if (Journal.Trouble is { } trouble)
            throw new EntityException(EntityFailure.QuotaExceeded, $"The broker cannot write to its data folder: {trouble}");
    }
}
