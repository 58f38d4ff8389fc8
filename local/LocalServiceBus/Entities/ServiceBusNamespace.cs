using System.Collections.Concurrent;
using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The entities of one broker, by name. Names compare case-insensitively, as addresses do.</summary>
internal sealed partial class ServiceBusNamespace : IDisposable
{
    /// <summary>As many queues as the service allows in one namespace. Here topics and their subscriptions count, too.</summary>
    public const int MostQueues = 10_000;

    // At the clock, which may have stepped ahead.
    private static readonly TimeSpan BetweenLooks = TimeSpan.FromSeconds(1);

    // A topic's is the queue in which messages for it arrive.
    private readonly ConcurrentDictionary<string, Queue> _entities = new(StringComparer.OrdinalIgnoreCase);
    private readonly IdleEntities _idle;
    private readonly MonotonicClock _clock;
    private readonly ITimer _clockTimer;
    private long _followed;

    public ServiceBusNamespace(TimeProvider time, Defects? defects = null)
    {
        Time = time;
        Defects = defects ?? new Defects();
        _idle = new IdleEntities(this);
        _clock = new MonotonicClock(time);
        _followed = _clock.Start;
        // Of the system in any case: a clock that a test moves on by years would come to each second of them.
        _clockTimer = Defects.StartTimer(
            TimeProvider.System,
            "following the system clock",
            FollowClock,
            BetweenLooks,
            BetweenLooks
        );
    }

    /// <summary>Raised after a queue was deleted, was closed to receivers by an update or has failed (then on a thread of the pool), for
    /// those who still hold links to it.</summary>
    public event Action<Queue>? QueueClosed;

    public TimeProvider Time { get; }

    public Defects Defects { get; }

    internal MemoryUse Memory { get; init; } = new(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 4 * 3);

    internal IJournal Journal { get; init; } = NoJournal.Instance;

    /// <summary>Reads messages for rules; null: they are opaque.</summary>
    internal IRuleMessageReader? Reader { get; init; }

    /// <summary>In the order of their names.</summary>
    public IReadOnlyList<Queue> Queues => [.. Of(EntityKind.Queue)];

    /// <summary>In the order of their names.</summary>
    public IReadOnlyList<Topic> Topics => [.. Of(EntityKind.Topic).Select(queue => queue.Topic!)];

    /// <summary>Those of queues and of subscriptions.</summary>
    internal IEnumerable<Queue> Sources => Of(EntityKind.Queue).Concat(Of(EntityKind.Subscription));

    /// <summary>With those behind topics.</summary>
    internal IEnumerable<Queue> All => Sources.Concat(Of(EntityKind.Topic));

    /// <summary>A queue, or that of a topic or a subscription.</summary>
    /// <param name="path"><c>NAME</c> or <c>TOPIC/Subscriptions/NAME</c></param>
    public Queue? Find(string path) => _entities.GetValueOrDefault(path);

    /// <exception cref="EntityException">NotFound.</exception>
    public Queue Get(string path) => Find(path) ?? throw EntityException.NotFound(path);

    /// <summary>Finds the keys of the queue or topic with this path, or above it.</summary>
    internal IReadOnlyList<EntityKeys> KeysOf(string path)
    {
        for (var end = path.Length; end > 0; end = path.LastIndexOf('/', end - 1))
        {
            if (FindTarget(path[..end]) is { } queue)
                return queue.Options.AuthorizationRules ?? [];
        }
        return [];
    }

    /// <summary>What messages can be sent to: a queue, or that of a topic.</summary>
    internal Queue? FindTarget(string path) =>
        Find(path) is { Options.Kind: not EntityKind.Subscription } queue ? queue : null;

    /// <summary>What messages can be received from: a queue, or that of a subscription.</summary>
    internal Queue? FindSource(string path) =>
        Find(path) is { Options.Kind: not EntityKind.Topic } queue ? queue : null;

    /// <summary>An entity that the journal has already, at the broker's start. A topic comes ahead of its subscriptions.</summary>
    internal Queue AddKept(QueueOptions options, IQueueJournal journal)
    {
        var queue = new Queue(options, Parts, journal, failed => QueueClosed?.Invoke(failed));
        if (options.Kind == EntityKind.Topic)
            queue.Topic = new Topic(queue, Reader, Journal, Defects);
        else if (options.Kind == EntityKind.Subscription)
            queue.Subscription = TopicOf(options).Add(queue);
        return _entities[options.Name] = queue;
    }

    /// <summary>All entities of the journal are here: messages go on.</summary>
    internal void Open()
    {
        foreach (var queue in All)
            Begin(queue).Topic?.Open();
    }

    /// <summary>Completes when all that was done so far outlives the broker.</summary>
    internal Task KeptAsync()
    {
        var kept = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Journal.WhenKept(kept.SetResult);
        return kept.Task;
    }

    private BrokerParts Parts => field ??= new(_clock, Memory, Defects);

    private IEnumerable<Queue> Of(EntityKind kind) =>
        _entities
            .Values.Where(queue => queue.Options.Kind == kind)
            .OrderBy(queue => queue.Name, StringComparer.OrdinalIgnoreCase);

    private void FollowClock()
    {
        _ = _clock.Now;
        var start = _clock.Start;
        if (Interlocked.Exchange(ref _followed, start) == start)
            return;
        foreach (var queue in All)
        {
            foreach (var part in queue.Parts)
                part.Timer.OnDue();
        }
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
