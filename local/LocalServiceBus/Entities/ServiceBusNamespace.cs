using System.Collections.Concurrent;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The entities of one broker, by name. Names compare case-insensitively, as addresses do.</summary>
public sealed class ServiceBusNamespace(TimeProvider time) : IDisposable
{
    /// <summary>As many as the service allows in one namespace.</summary>
    public const int MostQueues = 10_000;

    private readonly ConcurrentDictionary<string, Queue> _queues = new(StringComparer.OrdinalIgnoreCase);
    private readonly Lock _creating = new();

    /// <summary>Raised after a queue was deleted, for those who still hold links to it.</summary>
    public event Action<Queue>? QueueDeleted;

    /// <summary>Raised on a thread of the pool after a defect of the broker has made a queue useless, for those who still hold
    /// links to it.</summary>
    public event Action<Queue>? QueueFailed;

    public TimeProvider Time => time;

    public Defects Defects { get; init; } = new();

    internal MemoryUse Memory { get; init; } = new(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 4 * 3);

    internal IJournal Journal { get; init; } = NoJournal.Instance;

    /// <summary>In the order of their names.</summary>
    public IReadOnlyList<Queue> Queues => [.. _queues.Values.OrderBy(queue => queue.Name, StringComparer.OrdinalIgnoreCase)];

    /// <exception cref="EntityException">AlreadyExists, InvalidOption, NotSupported or QuotaExceeded.</exception>
    public Queue CreateQueue(QueueOptions options)
    {
        options.Validate();
        lock (_creating)
        {
            if (_queues.ContainsKey(options.Name))
                throw new EntityException(EntityFailure.AlreadyExists, $"Queue '{options.Name}' exists already.");
            if (_queues.Count >= MostQueues)
            {
                throw new EntityException(
                    EntityFailure.QuotaExceeded,
                    $"There are {MostQueues} queues, the most that a namespace has: delete one first.");
            }

            if (Journal.Trouble is { } trouble)
                throw new EntityException(EntityFailure.QuotaExceeded, $"The broker cannot write to its data folder: {trouble}");

            return AddKept(options, Journal.Add(options));
        }
    }

    /// <summary>A queue that the journal has already, at the broker's start.</summary>
    internal Queue AddKept(QueueOptions options, IQueueJournal journal) =>
        _queues[options.Name] = new Queue(options, time, Memory, Defects, journal, failed => QueueFailed?.Invoke(failed));

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
    /// <exception cref="EntityException">NotFound, InvalidOption, NotSupported or Failed.</exception>
    public Queue UpdateQueue(QueueOptions options)
    {
        var queue = GetQueue(options.Name);
        if (queue.Failure is not null)
            throw new EntityException(EntityFailure.Failed, $"Queue '{queue.Name}' has failed: delete it and create it anew.");
        queue.Update(options.Validate());
        return queue;
    }

    /// <summary>Drops the queue and every message in it.</summary>
    /// <exception cref="EntityException">NotFound.</exception>
    public void DeleteQueue(string name)
    {
        if (!_queues.TryRemove(name, out var queue))
            throw new EntityException(EntityFailure.NotFound, $"There is no queue '{name}'.");
        queue.Delete();
        QueueDeleted?.Invoke(queue);
    }

    public void Dispose()
    {
        foreach (var queue in _queues.Values)
            queue.Dispose();
    }
}
