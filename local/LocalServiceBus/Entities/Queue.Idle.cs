namespace DroneDelivery.LocalServiceBus.Entities;

// How long nobody has used a queue. See IdleEntities.
public sealed partial class Queue
{
    /// <summary>Null: somebody does, be it that a receiver waits, or that a message is scheduled.</summary>
    internal TimeSpan? UnusedFor()
    {
        if (UnusedFor(DeadLetterQueue) is not { } dead || UnusedFor(TransferDeadLettersSoFar) is not { } transfers)
            return null;
        var others = Min(dead, transfers);
        lock (_gate)
            return OwnUnusedFor() is { } own ? Min(own, others) : null;
    }

    /// <summary>From then on the queue takes nothing more, so that no message that it has accepted goes with it.</summary>
    /// <param name="least">So long it has to be unused.</param>
    /// <returns>False: somebody has used it meanwhile.</returns>
    internal bool TryRetire(TimeSpan least)
    {
        lock (_gate)
            return !_isDeleted && OwnUnusedFor() >= least && (_isDeleted = true);
    }

    private static TimeSpan? UnusedFor(Queue? deadLetters)
    {
        if (deadLetters is null)
            return TimeSpan.MaxValue;
        lock (deadLetters._gate)
            return deadLetters._contents.Receivers > 0 ? null : deadLetters.SinceLastUse();
    }

    private TimeSpan? OwnUnusedFor()
    {
        var isUsed = IsForwarding || _contents.Receivers > 0 || _waiting.Count > 0 || _contents.Store.CountOf(MessageState.Scheduled) > 0;
        return isUsed ? null : SinceLastUse();
    }

    private TimeSpan SinceLastUse()
    {
        DateTimeOffset[] uses = [AccessedAt, UpdatedAt, _contents.UsedAt];
        return _clock.Now - uses.Max();
    }
}
