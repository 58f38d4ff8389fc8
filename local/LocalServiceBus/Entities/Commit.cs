namespace DroneDelivery.LocalServiceBus.Entities;

/// <param name="Rejected">The request that was rejected; <c>null</c> if all succeeded, the broker is stopping, or the
/// queues have failed.</param>
internal readonly record struct Commit(bool IsDone, QueueRequest? Rejected)
{
    /// <summary>Executes all requests, or none.</summary>
    public static Commit Run(IReadOnlyList<QueueRequest> requests, IJournal journal)
    {
        Queue[] queues = [.. requests.Select(request => request.Queue).Distinct()];
        QueueRequest? rejected = null;
        try
        {
            if (!journal.TryMove(() => rejected = Move(requests, queues)))
                return default;
        }
        catch (Exception error)
        {
            // The contents of all these queues are now unreliable.
            foreach (var queue in queues)
                queue.Fail(error);
            return default;
        }
        if (rejected is not null)
            return new Commit(false, rejected);
        foreach (var queue in queues)
            queue.Dispatch();
        return new Commit(true, null);
    }

    private static QueueRequest? Move(IReadOnlyList<QueueRequest> requests, Queue[] queues)
    {
        // A settlement can dead-letter a message, so also take the locks of dead-letter queues, in the common order.
        var all = queues.Concat(queues.Select(queue => queue.DeadLetterQueue).OfType<Queue>()).Distinct();
        Queue[] ordered = [.. all.OrderBy(queue => queue.LockOrder)];
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
        if (requests.FirstOrDefault(request => !request.Check(request.Queue.Now)) is { } rejected)
            return rejected;
        foreach (var request in requests)
            request.Apply(request.Queue.Now);
        return null;
    }
}
