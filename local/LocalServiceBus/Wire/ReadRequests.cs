using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Collects the requests of one read of a connection by queue. Used only on the read loop.</summary>
internal sealed class ReadRequests(ClientConnection client)
{
    private const int MaxPerHold = 256;

    private readonly List<RequestBatch> _batches = [];

    // Batches are reused. There can be several while responses wait for the disk.
    private RequestBatch? _spare;

    public void Add(QueueRequest request)
    {
        var batch = BatchOf(request.Queue);
        batch.Requests.Add(request);
        if (batch.Requests.Count == MaxPerHold)
            Do();
    }

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
        // Combines consecutive responses into one disposition.
        using (client.Connection.Hold())
            client.TryRespond(requests, static requests => requests.ForEach(static request => request.Complete()));
        if (requests != batch.Requests)
            return;
        batch.Queue = null;
        requests.Clear();
        Volatile.Write(ref _spare, batch);
    }
}
