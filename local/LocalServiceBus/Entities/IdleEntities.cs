namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Deletes entities that nobody has used for as long as their <see cref="QueueOptions.AutoDeleteOnIdle"/>. Once one has it, all
/// are looked at every second.</summary>
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

    /// <summary>An entity is new, or has another description.</summary>
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
