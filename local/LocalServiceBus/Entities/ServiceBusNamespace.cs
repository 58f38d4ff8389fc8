using System.Collections.Concurrent;
using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The entities of one broker, by name. Names compare case-insensitively, as addresses do.</summary>
public sealed class ServiceBusNamespace : IDisposable
{
    /// <summary>As many queues as the service allows in one namespace. Here topics and their subscriptions count, too.</summary>
    public const int MostQueues = 10_000;

    private readonly ConcurrentDictionary<string, Queue> _queues = new(StringComparer.OrdinalIgnoreCase);
    private readonly ConcurrentDictionary<string, Topic> _topics = new(StringComparer.OrdinalIgnoreCase);
    private readonly Lock _creating = new();
    private readonly Forwarding _forwarding;
    private readonly IdleEntities _idle;

    public ServiceBusNamespace(TimeProvider time)
    {
        Time = time;
        _forwarding = new Forwarding(this);
        _idle = new IdleEntities(this);
    }

    /// <summary>Raised after a queue was deleted, for those who still hold links to it.</summary>
    public event Action<Queue>? QueueDeleted;

    /// <summary>Raised on a thread of the pool after a defect of the broker has made a queue useless, for those who still hold
    /// links to it.</summary>
    public event Action<Queue>? QueueFailed;

    /// <summary>Raised after a queue has begun to forward its messages, for those who still hold links to receive them.</summary>
    public event Action<Queue>? QueueForwards;

    public TimeProvider Time { get; }

    public Defects Defects { get; init; } = new();

    internal MemoryUse Memory { get; init; } = new(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 4 * 3);

    internal IJournal Journal { get; init; } = NoJournal.Instance;

    /// <summary>Reads messages for rules.</summary>
    internal IRuleMessageReader Reader { get; init; } = UnreadMessages.Instance;

    /// <summary>In the order of their names.</summary>
    public IReadOnlyList<Queue> Queues => [.. _queues.Values.OrderBy(queue => queue.Name, StringComparer.OrdinalIgnoreCase)];

    /// <exception cref="EntityException">AlreadyExists, InvalidOption or QuotaExceeded.</exception>
    public Queue CreateQueue(QueueOptions options)
    {
        options = Checked(options);
        lock (_creating)
        {
            RequireFree(options.Name);
            return Begin(AddKept(options, Journal.Add(options)));
        }
    }

    /// <exception cref="EntityException">AlreadyExists, InvalidOption or QuotaExceeded.</exception>
    public Topic CreateTopic(QueueOptions options)
    {
        options = Checked(options with { Kind = EntityKind.Topic });
        lock (_creating)
        {
            RequireFree(options.Name);
            Begin(AddKept(options, Journal.Add(options)));
            var topic = _topics[options.Name];
            topic.Open();
            return topic;
        }
    }

    /// <param name="options">As <see cref="QueueOptions.OfSubscription"/> has them, or changed from there.</param>
    /// <exception cref="EntityException">NotFound, AlreadyExists, InvalidOption or QuotaExceeded.</exception>
    public Subscription CreateSubscription(QueueOptions options)
    {
        options = options with
        {
            Rules = [.. (options.Rules ?? []).Select(rule => new Rule(rule with { CreatedAt = Time.GetUtcNow() }).Description)],
        };
        options = Checked(options);
        QueueOptions.TrySplit(options.Name, out var topicName, out var name);
        lock (_creating)
        {
            var topic = GetTopic(topicName);
            if (topic.TryGet(name, out _))
                throw new EntityException(EntityFailure.AlreadyExists, $"Subscription '{name}' of topic '{topic.Name}' exists already.");
            if (topic.SubscriptionCount >= Topic.MostSubscriptions)
            {
                throw new EntityException(
                    EntityFailure.QuotaExceeded, $"A topic has at most {Topic.MostSubscriptions} subscriptions: delete one first.");
            }

            RequireRoom();
            Begin(AddKept(options, Journal.Add(options)));
            return topic.Get(name);
        }
    }

    /// <summary>What the options describe.</summary>
    /// <exception cref="EntityException">See the method of each kind.</exception>
    internal void Create(QueueOptions options)
    {
        if (options.Kind == EntityKind.Topic)
            CreateTopic(options);
        else if (options.Kind == EntityKind.Subscription)
            CreateSubscription(options);
        else
            CreateQueue(options);
    }

    /// <summary>The same of what is there. A subscription gets the rules too.</summary>
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

    /// <summary>An entity that the journal has already, at the broker's start. A topic comes ahead of its subscriptions.</summary>
    internal Queue AddKept(QueueOptions options, IQueueJournal journal)
    {
        var queue = new Queue(options, Time, Memory, Defects, journal, failed => QueueFailed?.Invoke(failed));
        switch (options.Kind)
        {
            case EntityKind.Topic:
                _topics[options.Name] = new Topic(queue, Reader, Journal, Defects);
                break;
            case EntityKind.Subscription:
                QueueOptions.TrySplit(options.Name, out var topic, out var name);
                GetTopic(topic).Add(name, queue);
                break;
            default:
                _queues[options.Name] = queue;
                break;
        }
        return queue;
    }

    /// <summary>All entities of the journal are here: messages go on.</summary>
    internal void Open()
    {
        foreach (var queue in All)
            Begin(queue);
        foreach (var topic in _topics.Values)
            topic.Open();
    }

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
    private void Continue(Queue queue)
    {
        lock (_creating)
            Begin(queue);
        if (queue.IsForwarding)
            QueueForwards?.Invoke(queue);
        if (queue.DeadLetterQueue is { IsForwarding: true } dead)
            QueueForwards?.Invoke(dead);
    }

    private void RequireFree(string name)
    {
        if (_queues.ContainsKey(name) || _topics.ContainsKey(name))
            throw new EntityException(EntityFailure.AlreadyExists, $"A queue or topic '{name}' exists already.");
        RequireRoom();
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

    /// <summary>In the order of their names.</summary>
    public IReadOnlyList<Topic> Topics => [.. _topics.Values.OrderBy(topic => topic.Name, StringComparer.OrdinalIgnoreCase)];

    public bool TryGetTopic(string name, [System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out Topic? topic) =>
        _topics.TryGetValue(name, out topic);

    /// <exception cref="EntityException">NotFound.</exception>
    public Topic GetTopic(string name) =>
        _topics.TryGetValue(name, out var topic)
            ? topic
            : throw new EntityException(EntityFailure.NotFound, $"There is no topic '{Excerpt.Of(name)}'.");

    /// <summary>What messages can be sent to: a queue, or that of a topic.</summary>
    internal Queue? FindTarget(string path) =>
        _queues.TryGetValue(path, out var queue) ? queue : _topics.TryGetValue(path, out var topic) ? topic.Intake : null;

    /// <summary>What messages can be received from: a queue, or that of a subscription.</summary>
    internal Queue? FindSource(string path)
    {
        if (_queues.TryGetValue(path, out var queue))
            return queue;
        return FindSubscription(path)?.Queue;
    }

    internal Subscription? FindSubscription(string path) =>
        QueueOptions.TrySplit(path, out var topicName, out var name) && _topics.TryGetValue(topicName, out var topic)
        && topic.TryGet(name, out var subscription)
            ? subscription
            : null;

    /// <summary>Those of queues and of subscriptions.</summary>
    internal IEnumerable<Queue> Sources =>
        Queues.Concat(Topics.SelectMany(topic => topic.Subscriptions).Select(subscription => subscription.Queue));

    /// <summary>With those behind topics.</summary>
    internal IEnumerable<Queue> All => Sources.Concat(Topics.Select(topic => topic.Intake));

    /// <summary>Completes when all that was done so far outlives the broker.</summary>
    internal Task KeptAsync()
    {
        var kept = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Journal.WhenKept(kept.SetResult);
        return kept.Task;
    }

    public bool TryGetQueue(string name, [System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out Queue? queue) =>
        _queues.TryGetValue(name, out queue);

    /// <exception cref="EntityException">NotFound.</exception>
    public Queue GetQueue(string name) =>
        _queues.TryGetValue(name, out var queue)
            ? queue
            : throw new EntityException(EntityFailure.NotFound, $"There is no queue '{name}'.");

    /// <summary>Changes what may change while messages are in the queue; new locks and messages follow the new options.</summary>
    /// <exception cref="EntityException">NotFound, InvalidOption or Failed.</exception>
    public Queue UpdateQueue(QueueOptions options)
    {
        var queue = GetQueue(options.Name);
        RequireSound(queue);
        queue.Update(Checked(options));
        Continue(queue);
        return queue;
    }

    /// <exception cref="EntityException">NotFound, InvalidOption or Failed.</exception>
    public Topic UpdateTopic(QueueOptions options)
    {
        var topic = GetTopic(options.Name);
        RequireSound(topic.Intake);
        topic.Intake.Update(Checked(options with { Kind = EntityKind.Topic }));
        Continue(topic.Intake);
        return topic;
    }

    /// <exception cref="EntityException">NotFound, InvalidOption or Failed.</exception>
    public Subscription UpdateSubscription(QueueOptions options)
    {
        QueueOptions.TrySplit(options.Name, out var topic, out var name);
        var subscription = GetTopic(topic).Get(name);
        RequireSound(subscription.Queue);
        subscription.Update(Checked(options));
        Continue(subscription.Queue);
        return subscription;
    }

    /// <summary>With its subscriptions and all their messages.</summary>
    /// <exception cref="EntityException">NotFound.</exception>
    public void DeleteTopic(string name)
    {
        lock (_creating)
        {
            if (!_topics.TryRemove(name, out var topic))
                throw new EntityException(EntityFailure.NotFound, $"There is no topic '{Excerpt.Of(name)}'.");
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

    /// <summary>Drops the queue and every message in it.</summary>
    /// <exception cref="EntityException">NotFound.</exception>
    public void DeleteQueue(string name)
    {
        if (!_queues.TryRemove(name, out var queue))
            throw new EntityException(EntityFailure.NotFound, $"There is no queue '{name}'.");
        Delete(queue);
    }

    /// <summary>The entity whose queue has retired, and no other that has its name since.</summary>
    internal void DeleteRetired(Queue queue)
    {
        QueueOptions.TrySplit(queue.Name, out var topicName, out var name);
        lock (_creating)
        {
            _topics.TryGetValue(topicName, out var topic);
            if (queue.Options.Kind == EntityKind.Queue && _queues.TryRemove(KeyValuePair.Create(queue.Name, queue)))
                Delete(queue);
            else if (queue.Options.Kind == EntityKind.Topic && topic?.Intake == queue)
                DeleteTopic(topicName);
            else if (topic is not null && topic.TryGet(name, out var subscription) && subscription.Queue == queue)
                DeleteSubscription(topicName, name);
        }
    }

    private void Delete(Queue queue)
    {
        queue.Delete();
        QueueDeleted?.Invoke(queue);
    }

    private static void RequireSound(Queue queue)
    {
        if (queue.Failure is not null)
            throw new EntityException(EntityFailure.Failed, $"'{queue.Name}' has failed: delete it and create it anew.");
    }

    public void Dispose()
    {
        _idle.Dispose();
        // What moves arrives, or a message would be gone on the way.
        Journal.EndMoves();
        foreach (var queue in All)
            queue.Dispose();
    }
}
