using System.Collections.Concurrent;
using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The entities of one broker by name. Names are case-insensitive.</summary>
internal sealed partial class ServiceBusNamespace : IDisposable
{
    /// <summary>The limit of queues per namespace in Service Bus. Here, it includes topics and subscriptions.</summary>
    public const int MaxQueues = 10_000;

    private static readonly TimeSpan CheckInterval = TimeSpan.FromSeconds(1);

    // The queue of a topic is its intake.
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
        // Always the system's timer: with a fake clock that advances by years, it would fire for every second.
        _clockTimer = Defects.StartTimer(
            TimeProvider.System,
            "following the system clock",
            CheckClock,
            CheckInterval,
            CheckInterval
        );
    }

    /// <summary>Raised after a queue was deleted, was closed to receivers by an update, or has failed (then on a pool
    /// thread), so that its links can be closed.</summary>
    public event Action<Queue>? QueueClosed;

    public TimeProvider Time { get; }

    public Defects Defects { get; }

    internal MemoryUse Memory { get; init; } = new(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 4 * 3);

    internal IJournal Journal { get; init; } = NoJournal.Instance;

    /// <summary>Decodes messages for rules; <c>null</c> if rules can't read messages.</summary>
    internal IRuleMessageReader? Reader { get; init; }

    public IReadOnlyList<Queue> Queues => [.. Of(EntityKind.Queue)];

    public IReadOnlyList<Topic> Topics => [.. Of(EntityKind.Topic).Select(queue => queue.Topic!)];

    /// <summary>The entities to receive from: queues, and the queues of subscriptions.</summary>
    internal IEnumerable<Queue> Sources => Of(EntityKind.Queue).Concat(Of(EntityKind.Subscription));

    internal IEnumerable<Queue> All => Sources.Concat(Of(EntityKind.Topic));

    public Queue? Find(string path) => _entities.GetValueOrDefault(path);

    public Queue Get(string path) => Find(path) ?? throw EntityException.NotFound(path);

    /// <summary>Returns the shared access rules of the queue or topic at this path or above it.</summary>
    internal IReadOnlyList<EntityKeys> KeysOf(string path)
    {
        for (var end = path.Length; end > 0; end = path.LastIndexOf('/', end - 1))
        {
            if (FindTarget(path[..end]) is { } queue)
                return queue.Options.AuthorizationRules ?? [];
        }
        return [];
    }

    internal Queue? FindTarget(string path) =>
        Find(path) is { Options.Kind: not EntityKind.Subscription } queue ? queue : null;

    internal Queue? FindSource(string path) =>
        Find(path) is { Options.Kind: not EntityKind.Topic } queue ? queue : null;

    /// <summary>Adds an entity from the journal at startup. Topics must precede their subscriptions.</summary>
    internal Queue AddStored(QueueOptions options, IQueueJournal journal)
    {
        var queue = new Queue(options, Parts, journal, failed => QueueClosed?.Invoke(failed));
        if (options.Kind == EntityKind.Topic)
            queue.Topic = new Topic(queue, Reader, Journal, Defects);
        else if (options.Kind == EntityKind.Subscription)
            queue.Subscription = TopicOf(options).Add(queue);
        return _entities[options.Name] = queue;
    }

    internal void Open()
    {
        foreach (var queue in All)
            Begin(queue).Topic?.Open();
    }

    internal Task StoredAsync()
    {
        var kept = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Journal.WhenStored(kept.SetResult);
        return kept.Task;
    }

    private BrokerParts Parts => field ??= new(_clock, Memory, Defects);

    private IEnumerable<Queue> Of(EntityKind kind) =>
        _entities
            .Values.Where(queue => queue.Options.Kind == kind)
            .OrderBy(queue => queue.Name, StringComparer.OrdinalIgnoreCase);

    private void CheckClock()
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
        // Wait for moves in progress, so that no message is lost.
        Journal.EndMoves();
        foreach (var queue in All)
            queue.Dispose();
    }
}
