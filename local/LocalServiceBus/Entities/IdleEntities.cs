namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Deletes entities that nobody has used for as long as their <see cref="QueueOptions.AutoDeleteOnIdle"/>. One timer waits for
/// the first of them, and looks at all.</summary>
internal sealed class IdleEntities : IDisposable
{
    // Entities in use put their end off all the time: the timer comes no more often than this.
    private static readonly TimeSpan ShortestPause = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan PauseAfterDefect = TimeSpan.FromMinutes(1), LongestPause = TimeSpan.FromDays(1);

    private readonly ServiceBusNamespace _entities;
    private readonly Lock _gate = new();
    private readonly ITimer _timer;
    private bool _isNew;

    public IdleEntities(ServiceBusNamespace entities)
    {
        _entities = entities;
        _timer = entities.Time.CreateTimer(_ => Look(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>An entity is new, or has another description.</summary>
    public void Watch(QueueOptions options)
    {
        if (options.AutoDeleteOnIdle == TimeSpan.MaxValue)
            return;
        lock (_gate)
        {
            _isNew = true;
            _timer.Change(ShortestPause, Timeout.InfiniteTimeSpan);
        }
    }

    public void Dispose() => _timer.Dispose();

    // On a timer's thread what is thrown would end the process.
    private void Look()
    {
        try
        {
            lock (_gate)
                _isNew = false;
            if (DeleteUnused() is { } pause)
                Pause(pause);
        }
        catch (Exception error)
        {
            _entities.Defects.Report("deleting entities that nobody uses", error);
            Pause(PauseAfterDefect);
        }
    }

    private void Pause(TimeSpan pause)
    {
        lock (_gate)
        {
            // What is new may need a shorter one, and has set it.
            if (!_isNew)
                _timer.Change(Clamp(pause), Timeout.InfiniteTimeSpan);
        }
    }

    /// <returns>After how long the next one may have to go; null: there is none.</returns>
    private TimeSpan? DeleteUnused()
    {
        TimeSpan? next = null;
        foreach (var queue in _entities.Queues)
            Consider(queue, queue.UnusedFor, ref next);
        foreach (var topic in _entities.Topics)
        {
            foreach (var subscription in topic.Subscriptions)
                Consider(subscription.Queue, subscription.Queue.UnusedFor, ref next);
            Consider(topic.Intake, topic.UnusedFor, ref next);
        }
        return next;
    }

    private void Consider(Queue queue, Func<TimeSpan?> unusedFor, ref TimeSpan? next)
    {
        var most = queue.Options.AutoDeleteOnIdle;
        if (most == TimeSpan.MaxValue)
            return;
        var left = most - (unusedFor() ?? TimeSpan.Zero);
        if (left <= TimeSpan.Zero && queue.TryRetire(most))
            _entities.DeleteRetired(queue);
        else if (next is null || left < next)
            next = left;
    }

    private static TimeSpan Clamp(TimeSpan pause) =>
        pause < ShortestPause ? ShortestPause : pause > LongestPause ? LongestPause : pause;
}
