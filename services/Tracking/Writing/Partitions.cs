using System.Threading.Channels;

namespace DroneDelivery.Tracking.Writing;

/// <summary>
/// Hits that wait for others of their partition. A partition is due when it fills a batch or its first hit has waited long enough. It goes
/// on growing until somebody takes from it, so batches are the larger the busier those are. Thread-safe.
/// </summary>
internal sealed class Partitions(int batchSize, TimeSpan patience, TimeProvider time)
{
    private readonly Dictionary<(string Table, string Key), Partition> _partitions = [];
    private readonly Channel<Partition> _due = Channel.CreateUnbounded<Partition>();
    private bool _isComplete;

    public void Add(Hit hit)
    {
        var key = (hit.Table, hit.PartitionKey);
        lock (_partitions)
        {
            if (!_partitions.TryGetValue(key, out var partition))
                _partitions[key] = partition = new(key, time.GetTimestamp());
            partition.Hits.Enqueue(hit);
            if (partition.Hits.Count >= batchSize)
                MakeDue(partition);
        }
    }

    /// <summary>Those that have waited long enough are due. Call it every now and then.</summary>
    public void LookAtClock()
    {
        lock (_partitions)
        {
            foreach (var partition in _partitions.Values)
            {
                if (time.GetElapsedTime(partition.Since) >= patience)
                    MakeDue(partition);
            }
        }
    }

    /// <summary>No more are added, and nobody waits any longer: all are due.</summary>
    public void Complete()
    {
        lock (_partitions)
        {
            _isComplete = true;
            foreach (var partition in _partitions.Values)
                MakeDue(partition);
            EndIfEmpty();
        }
    }

    /// <returns>Hits of one partition, at most a batch of them; null: there are no more, and none will come.</returns>
    public async Task<IReadOnlyList<Hit>?> TakeAsync(CancellationToken cancellationToken)
    {
        while (await _due.Reader.WaitToReadAsync(cancellationToken))
        {
            if (_due.Reader.TryRead(out var partition))
                return TakeFrom(partition);
        }
        return null;
    }

    private List<Hit> TakeFrom(Partition partition)
    {
        lock (_partitions)
        {
            var batch = new List<Hit>(Math.Min(batchSize, partition.Hits.Count));
            while (batch.Count < batchSize && partition.Hits.TryDequeue(out var hit))
                batch.Add(hit);
            partition.IsDue = false;
            partition.Since = time.GetTimestamp();
            if (partition.Hits.Count == 0)
                _partitions.Remove(partition.Key);
            else if (_isComplete || partition.Hits.Count >= batchSize)
                MakeDue(partition);
            EndIfEmpty();
            return batch;
        }
    }

    private void MakeDue(Partition partition)
    {
        if (!partition.IsDue)
            partition.IsDue = _due.Writer.TryWrite(partition);
    }

    private void EndIfEmpty()
    {
        if (_isComplete && _partitions.Count == 0)
            _due.Writer.TryComplete();
    }

    private sealed class Partition((string Table, string Key) key, long since)
    {
        public (string Table, string Key) Key { get; } = key;

        public Queue<Hit> Hits { get; } = [];

        /// <summary>When the first of them came, or the last batch was taken.</summary>
        public long Since { get; set; } = since;

        /// <summary>Somebody is told to take from it.</summary>
        public bool IsDue { get; set; }
    }
}
