using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The entities of one broker, by name. Names compare case-insensitively, as addresses do.</summary>
internal sealed partial class ServiceBusNamespace : IDisposable
{
    /// <summary>As many queues as the service allows in one namespace. Here topics and their subscriptions count, too.</summary>
    public const int MostQueues = 10_000;

    // At the clock, which may have stepped ahead.
    private static readonly TimeSpan BetweenLooks = TimeSpan.FromSeconds(1);

    private readonly ConcurrentDictionary<string, Queue> _queues = new(StringComparer.OrdinalIgnoreCase);
    private readonly ConcurrentDictionary<string, Topic> _topics = new(StringComparer.OrdinalIgnoreCase);
    private readonly Forwarding _forwarding;
    private readonly IdleEntities _idle;
    private readonly MonotonicClock _clock;
    private readonly ITimer _clockTimer;
    private long _followed;

    public ServiceBusNamespace(TimeProvider time)
    {
        Time = time;
        _forwarding = new Forwarding(this);
        _idle = new IdleEntities(this);
        _clock = new MonotonicClock(time);
        _followed = _clock.Start;
        // Of the system in any case: a clock that a test moves on by years would come to each second of them.
        _clockTimer = TimeProvider.System.CreateTimer(
            _ => Defects.Guard("following the machine's clock", FollowClock), null, BetweenLooks, BetweenLooks);
    }

    /// <summary>Raised after a queue was deleted, was closed to receivers by an update or has failed (then on a thread of the pool), for
    /// those who still hold links to it.</summary>
    public event Action<Queue>? QueueClosed;

    public TimeProvider Time { get; }

    public Defects Defects { get; init; } = new();

    internal MemoryUse Memory { get; init; } = new(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 4 * 3);

    internal IJournal Journal { get; init; } = NoJournal.Instance;

    /// <summary>Reads messages for rules; null: they are opaque.</summary>
    internal IRuleMessageReader? Reader { get; init; }

    /// <summary>In the order of their names.</summary>
    public IReadOnlyList<Queue> Queues => [.. _queues.Values.OrderBy(queue => queue.Name, StringComparer.OrdinalIgnoreCase)];

    /// <summary>An entity that the journal has already, at the broker's start. A topic comes ahead of its subscriptions.</summary>
    internal Queue AddKept(QueueOptions options, IQueueJournal journal)
    {
        var queue = new Queue(options, _clock, Memory, Defects, journal, failed => QueueClosed?.Invoke(failed));
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

    /// <summary>In the order of their names.</summary>
    public IReadOnlyList<Topic> Topics => [.. _topics.Values.OrderBy(topic => topic.Name, StringComparer.OrdinalIgnoreCase)];

    public bool TryGetTopic(string name, [NotNullWhen(true)] out Topic? topic) =>
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
    internal Queue? FindSource(string path) => _queues.TryGetValue(path, out var queue) ? queue : FindSubscription(path)?.Queue;

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

    public bool TryGetQueue(string name, [NotNullWhen(true)] out Queue? queue) =>
        _queues.TryGetValue(name, out queue);

    /// <exception cref="EntityException">NotFound.</exception>
    public Queue GetQueue(string name) =>
        _queues.TryGetValue(name, out var queue)
            ? queue
            : throw new EntityException(EntityFailure.NotFound, $"There is no queue '{name}'.");

    private void FollowClock()
    {
        _ = _clock.Now;
        var start = _clock.Start;
        if (Interlocked.Exchange(ref _followed, start) == start)
            return;
        foreach (var queue in All)
            queue.OnStep();
    }

    public void Dispose()
    {
        _clockTimer.Dispose();
        _idle.Dispose();
        // What moves arrives, or a message would be gone on the way.
        Journal.EndMoves();
        foreach (var queue in All)
            queue.Dispose();
    }
}
