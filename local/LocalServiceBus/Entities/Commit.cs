namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The result of doing several requests atomically.</summary>
/// <param name="Refused">The request that could not be done; <c>null</c> if all are done, the broker is stopping, or the queues have
/// failed.</param>
internal readonly record struct Commit(bool IsDone, QueueRequest? Refused)
{
    /// <summary>Does all requests, or none.</summary>
    public static Commit Run(IReadOnlyList<QueueRequest> requests, IJournal journal)
    {
        Queue[] queues = [.. requests.Select(request => request.Queue).Distinct()];
        QueueRequest? refused = null;
        try
        {
            if (!journal.TryMove(() => refused = Move(requests, queues)))
                return default;
        }
        catch (Exception error)
        {
            // The contents of all of these queues are now unreliable.
            foreach (var queue in queues)
                queue.Fail(error);
            return default;
        }
        if (refused is not null)
            return new Commit(false, refused);
        foreach (var queue in queues)
            queue.Dispatch();
        return new Commit(true, null);
    }

    /// <returns>The request that cannot be done; <c>null</c> if all are done.</returns>
    private static QueueRequest? Move(IReadOnlyList<QueueRequest> requests, Queue[] queues)
    {
        // A settlement can move a message to the dead-letter queue, whose lock is taken after that of its queue.
        var all = queues.Concat(queues.Select(queue => queue.DeadLetterQueue).OfType<Queue>()).Distinct();
        Queue[] ordered = [.. all.OrderBy(queue => queue.LockPlace)];
        var entered = 0;
        try
        {
            for (; entered < ordered.Length; entered++)
                ordered[entered].Gate.Enter();
            return Do(requests);
        }
        finally
        {
            while (entered-- > 0)
                ordered[entered].Gate.Exit();
        }
    }

    private static QueueRequest? Do(IReadOnlyList<QueueRequest> requests)
    {
        if (requests.FirstOrDefault(request => !request.Check(request.Queue.Now)) is { } refused)
            return refused;
        foreach (var request in requests)
            request.Apply(request.Queue.Now);
        return null;
    }
}
