namespace DroneDelivery.Delivery.Redis;

/// <summary>One connection for all who ask. An attempt that failed is not kept: the next who asks makes another. Thread-safe.</summary>
internal sealed class Connecting<T>(Func<Task<T>> connect)
{
    private readonly Lock _lock = new();
    private Task<T>? _current;

    /// <summary>The current connection; starts to connect if there is none.</summary>
    public Task<T> Current
    {
        get
        {
            lock (_lock)
                return _current is null or { IsFaulted: true } or { IsCanceled: true } ? _current = connect() : _current;
        }
    }

    /// <summary>Null: there is none.</summary>
    public Task<T>? Connected => _current is { IsCompletedSuccessfully: true } connected ? connected : null;
}
