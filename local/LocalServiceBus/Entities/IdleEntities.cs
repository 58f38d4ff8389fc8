namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Deletes entities that were unused for <see cref="QueueOptions.AutoDeleteOnIdle"/>. Checks all entities
/// every second as soon as one uses this option.</summary>
internal sealed class IdleEntities : IDisposable
{
    private static readonly TimeSpan BetweenLooks = TimeSpan.FromSeconds(1);

    private readonly ServiceBusNamespace _entities;
    private readonly ITimer _timer;
    private bool _isLooking;

    public IdleEntities(ServiceBusNamespace entities)
    {
        _entities = entities;
        _timer = entities.Defects.StartTimer(entities.Time, "deleting unused entities", Look, Timeout.InfiniteTimeSpan);
    }

    public void Watch(QueueOptions options)
    {
        if (options.AutoDeleteOnIdle < TimeSpan.MaxValue && !Interlocked.Exchange(ref _isLooking, true))
            _timer.Change(BetweenLooks, BetweenLooks);
    }

    public void Dispose() => _timer.Dispose();

    private void Look()
    {
        foreach (var queue in _entities.All)
        {
            var most = queue.Options.AutoDeleteOnIdle;
            if (most < TimeSpan.MaxValue && queue.UnusedFor() >= most && queue.TryRetire(most))
                _entities.DeleteRetired(queue);
        }
    }
}
