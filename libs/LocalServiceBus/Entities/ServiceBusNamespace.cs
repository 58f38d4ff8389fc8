using System.Collections.Concurrent;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The entities of one broker, by name. Names compare case-insensitively, as addresses do.</summary>
public sealed class ServiceBusNamespace(TimeProvider time) : IDisposable
{
    readonly ConcurrentDictionary<string, Queue> queues = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Raised after a queue was deleted, for those who still hold links to it.</summary>
    public event Action<Queue>? QueueDeleted;

    public TimeProvider Time => time;

    /// <summary>In the order of their names.</summary>
    public IReadOnlyList<Queue> Queues => [.. queues.Values.OrderBy(queue => queue.Name, StringComparer.OrdinalIgnoreCase)];

    /// <exception cref="EntityException">AlreadyExists, InvalidOption or NotSupported.</exception>
    public Queue CreateQueue(QueueOptions options)
    {
        var queue = new Queue(options.Validate(), time);
        if (queues.TryAdd(options.Name, queue)) return queue;
        queue.Dispose();
        throw new EntityException(EntityFailure.AlreadyExists, $"Queue '{options.Name}' exists already.");
    }

    public bool TryGetQueue(string name, [System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out Queue? queue) => queues.TryGetValue(name, out queue);

    /// <exception cref="EntityException">NotFound.</exception>
    public Queue GetQueue(string name) =>
        queues.TryGetValue(name, out var queue) ? queue : throw new EntityException(EntityFailure.NotFound, $"There is no queue '{name}'.");

    /// <summary>Changes what may change while messages are in the queue; new locks and messages follow the new options.</summary>
    /// <exception cref="EntityException">NotFound, InvalidOption or NotSupported.</exception>
    public Queue UpdateQueue(QueueOptions options)
    {
        var queue = GetQueue(options.Name);
        queue.Update(options.Validate());
        return queue;
    }

    /// <summary>Drops the queue and every message in it.</summary>
    /// <exception cref="EntityException">NotFound.</exception>
    public void DeleteQueue(string name)
    {
        if (!queues.TryRemove(name, out var queue)) throw new EntityException(EntityFailure.NotFound, $"There is no queue '{name}'.");
        queue.Dispose();
        QueueDeleted?.Invoke(queue);
    }

    public void Dispose()
    {
        foreach (var queue in queues.Values) queue.Dispose();
    }
}
