namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Deletes entities that were unused for <see cref="QueueOptions.AutoDeleteOnIdle"/>. Checks all entities
/// every second as soon as one uses this option.</summary>
internal sealed class IdleEntities : IDisposable
{
    private static readonly TimeSpan CheckInterval = TimeSpan.FromSeconds(1);

    private readonly ServiceBusNamespace _entities;
    private readonly ITimer _timer;
    private bool _isChecking;

    public IdleEntities(ServiceBusNamespace entities)
    {
        _entities = entities;
        _timer = entities.Defects.StartTimer(
            entities.Time,
            "deleting unused entities",
            Check,
            Timeout.InfiniteTimeSpan
        );
    }

    public void Watch(QueueOptions options)
    {
        if (options.AutoDeleteOnIdle < TimeSpan.MaxValue && !Interlocked.Exchange(ref _isChecking, true))
            _timer.Change(CheckInterval, CheckInterval);
    }

    public void Dispose() => _timer.Dispose();

    private void Check()
    {
        foreach (var queue in _entities.All)
        {
            var maxIdle = queue.Options.AutoDeleteOnIdle;
            if (maxIdle < TimeSpan.MaxValue && queue.UnusedFor() >= maxIdle && queue.TryRetire(maxIdle))
                _entities.DeleteRetired(queue);
        }
    }
}
