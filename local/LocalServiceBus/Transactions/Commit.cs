using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Transactions;

/// <summary>Does all steps of a transaction, or none.</summary>
internal static class Commit
{
    /// <returns>Null: all are done.</returns>
    public static TransactionRefusal? Run(Transaction transaction, IJournal journal)
    {
        if (transaction.IsDoomed)
            return new TransactionRefusal.Doomed();
        Queue[] queues = [.. transaction.Steps.Select(step => step.Queue).Distinct()];
        QueueRequest? failed = null;
        try
        {
            // If not, the broker ends, and so does the client's connection.
            if (!journal.TryMove(() => failed = Move(transaction, queues)))
                return new TransactionRefusal.Broken();
        }
        catch (Exception error)
        {
            // None of the queues can be trusted any more.
            foreach (var queue in queues)
                queue.Fail(error);
            return new TransactionRefusal.Broken();
        }
        if (failed is not null)
            return new TransactionRefusal.Refused(failed);
        foreach (var queue in queues)
            queue.Dispatch();
        return null;
    }

    /// <returns>The step that cannot be done; null: all are done.</returns>
    private static QueueRequest? Move(Transaction transaction, Queue[] queues)
    {
        // A settlement may move a message to the dead-letter queue, whose lock comes behind all that are taken ahead of it.
        var all = queues.Concat(queues.Select(queue => queue.DeadLetterQueue).OfType<Queue>()).Distinct();
        Queue[] ordered = [.. all.OrderBy(queue => queue.LockPlace)];
        var entered = 0;
        try
        {
            for (; entered < ordered.Length; entered++)
                ordered[entered].Enter();
            return Do(transaction.Steps);
        }
        finally
        {
            while (entered-- > 0)
                ordered[entered].Leave();
        }
    }

    private static QueueRequest? Do(IReadOnlyList<QueueRequest> steps)
    {
        if (steps.FirstOrDefault(step => !step.Check(step.Queue.Now)) is { } refused)
            return refused;
        foreach (var step in steps)
            step.Apply(step.Queue.Now);
        return null;
    }
}
