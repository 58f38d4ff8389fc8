using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>What one read of a connection brings, gathered for each queue. To be used on the read loop only.</summary>
internal sealed class ReadRequests(AmqpConnection connection)
{
    // So many are done under one hold of a queue's lock.
    private const int MostPerHold = 256;

    private readonly List<Batch> _batches = [];

    // A batch that is answered is used again. Where the answers wait for the disk, there may be many.
    private Batch? _spare;

    public void Add(QueueRequest request)
    {
        var batch = BatchOf(request.Queue);
        batch.Requests.Add(request);
        if (batch.Requests.Count == MostPerHold)
            Do();
    }

    /// <summary>Nothing is gathered any more after this call; queues in the order in which they were first asked.</summary>
    public void Do()
    {
        while (_batches.Count > 0)
        {
            var batch = _batches[0];
            _batches.RemoveAt(0);
            batch.Queue!.Do(batch);
        }
    }

    private Batch BatchOf(Queue queue)
    {
        foreach (var batch in _batches)
        {
            if (batch.Queue == queue)
                return batch;
        }
        var added = Interlocked.Exchange(ref _spare, null) ?? new Batch(this, connection);
        added.Queue = queue;
        _batches.Add(added);
        return added;
    }

    private sealed class Batch(ReadRequests owner, AmqpConnection connection) : RequestBatch
    {
        /// <summary>Null while nothing is asked.</summary>
        public Queue? Queue { get; set; }

        /// <summary>Answers that follow each other leave as one disposition.</summary>
        public override void Complete(List<QueueRequest> requests)
        {
            using (connection.Hold())
                Answer(requests);
            if (requests == Requests)
                GiveBack();
        }

        private void Answer(List<QueueRequest> requests)
        {
            try
            {
                foreach (var request in requests)
                    request.Complete();
            }
            catch
            {
                // The others would wait for their answers as long as the connection lives.
                connection.Abort();
                throw;
            }
        }

        private void GiveBack()
        {
            Queue = null;
            Requests.Clear();
            Volatile.Write(ref owner._spare, this);
        }
    }
}
