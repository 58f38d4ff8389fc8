using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Transactions;

/// <summary>Does all steps of a transaction, or none.</summary>
internal static class Commit
{
    /// <param name="transaction">That is not used any more.</param>
    /// <param name="journal">Keeps all steps together, or none.</param>
    public static CommitResult Run(Transaction transaction, IJournal journal)
    {
        if (transaction.IsDoomed)
            return new CommitResult.Doomed();
        // The broker ends, and so does the client's connection.
        if (!journal.BeginMove())
            return new CommitResult.Broken();
        Queue[] queues = [.. transaction.Steps.Select(step => step.Queue).Distinct()];
        TransactionStep? failed;
        try
        {
            failed = Move(transaction, queues);
        }
        catch (Exception error)
        {
            foreach (var queue in queues)
                queue.EndAsBroken(error);
            return new CommitResult.Broken();
        }
        finally
        {
            journal.EndMove();
        }
        if (failed is not null)
            return new CommitResult.Refused(failed);
        foreach (var queue in queues)
            queue.Dispatch();
        return new CommitResult.Done();
    }

    /// <returns>The step that cannot be done; null: all are done.</returns>
    private static TransactionStep? Move(Transaction transaction, Queue[] queues)
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

    private static TransactionStep? Do(IReadOnlyList<TransactionStep> steps)
    {
        foreach (var step in steps)
        {
            if (!step.Check())
                return step;
        }
        foreach (var step in steps)
            step.Apply();
        return null;
    }
}

internal abstract record CommitResult
{
    public sealed record Done : CommitResult;

    /// <summary>See <see cref="Transaction.IsDoomed"/>.</summary>
    public sealed record Doomed : CommitResult;

    /// <summary>Nothing was changed.</summary>
    /// <param name="Step">Cannot be done any more, and has the reason.</param>
    public sealed record Refused(TransactionStep Step) : CommitResult;

    /// <summary>A defect, which has failed the queues; or the broker ends.</summary>
    public sealed record Broken : CommitResult;
}
