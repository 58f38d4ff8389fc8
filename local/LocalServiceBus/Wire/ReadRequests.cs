using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The requests of one read of a connection, gathered by queue. Used on the read loop only.</summary>
internal sealed class ReadRequests(ClientConnection client)
{
    // The maximum number done under one hold of a queue's lock.
    private const int MostPerHold = 256;

    private readonly List<RequestBatch> _batches = [];

    // A batch is used again after its responses. There can be many while the responses wait for the disk.
    private RequestBatch? _spare;

    public void Add(QueueRequest request)
    {
        var batch = BatchOf(request.Queue);
        batch.Requests.Add(request);
        if (batch.Requests.Count == MostPerHold)
            Do();
    }

    /// <summary>Does all gathered requests. Queues follow in the order of their first requests.</summary>
    public void Do()
    {
        while (_batches.Count > 0)
        {
            var batch = _batches[0];
            _batches.RemoveAt(0);
            batch.Queue!.Do(batch);
        }
    }

    private RequestBatch BatchOf(Queue queue)
    {
        foreach (var batch in _batches)
        {
            if (batch.Queue == queue)
                return batch;
        }
        var added = Interlocked.Exchange(ref _spare, null) ?? new RequestBatch(Complete);
        added.Queue = queue;
        _batches.Add(added);
        return added;
    }

    private void Complete(RequestBatch batch, List<QueueRequest> requests)
    {
        // Consecutive responses are sent as one disposition.
        using (client.Connection.Hold())
            client.TryRespond(requests, static requests => requests.ForEach(static request => request.Complete()));
        if (requests != batch.Requests)
            return;
        batch.Queue = null;
        requests.Clear();
        Volatile.Write(ref _spare, batch);
    }
}
