using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>What one read of a connection brings, gathered for each queue. To be used on the read loop only.</summary>
internal sealed class ReadRequests(AmqpConnection connection)
{
    // So many are done under one hold of a queue's lock.
    private const int MostPerHold = 256;

    private readonly List<Batch> _batches = [];

    public void Add(Queue queue, QueueRequest request)
    {
        var batch = BatchOf(queue);
        batch.Requests.Add(request);
        if (batch.Requests.Count == MostPerHold)
            Do();
    }

    /// <summary>Nothing is gathered any more after this call; queues in the order in which they were first asked.</summary>
    public void Do()
    {
        if (_batches.Count == 0)
            return;
        Batch[] batches = [.. _batches];
        _batches.Clear();
        foreach (var batch in batches)
            batch.Queue.Do(batch.Requests, batch.Complete);
    }

    private Batch BatchOf(Queue queue)
    {
        foreach (var batch in _batches)
        {
            if (batch.Queue == queue)
                return batch;
        }
        var added = new Batch(connection, queue);
        _batches.Add(added);
        return added;
    }

    private sealed class Batch(AmqpConnection connection, Queue queue)
    {
        public Queue Queue => queue;

        public List<QueueRequest> Requests { get; } = [];

        /// <summary>Answers that follow each other leave as one disposition.</summary>
        public void Complete(IReadOnlyList<QueueRequest> requests)
        {
            using var hold = connection.Hold();
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
    }
}
