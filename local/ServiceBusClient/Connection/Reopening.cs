namespace Azure.Messaging.ServiceBus;

/// <summary>Something that is opened when first needed, shared while it is usable, and opened anew after it broke.</summary>
/// <param name="open">Opens one; callers that come meanwhile wait for it.</param>
/// <param name="isUsable">False once it broke.</param>
/// <param name="close">Frees a broken or no longer needed one; does not fail.</param>
internal sealed class Reopening<T>(Func<CancellationToken, Task<T>> open, Func<T, bool> isUsable, Func<T, Task> close) : IAsyncDisposable
    where T : class
{
    private readonly SemaphoreSlim _gate = new(1);
    private volatile T? _current;
    private bool _disposed;

    /// <summary>The one in use; null when there is none that works.</summary>
    public T? Current => _current is { } one && isUsable(one) ? one : null;

    public ValueTask<T> GetAsync(CancellationToken cancellationToken) =>
        Current is { } one ? new ValueTask<T>(one) : new ValueTask<T>(OpenAsync(cancellationToken));

    public async ValueTask DisposeAsync()
    {
        await _gate.WaitAsync();
        try
        {
            _disposed = true;
            await CloseCurrentAsync();
        }
        finally
        {
            _gate.Release();
        }
    }

    private async Task<T> OpenAsync(CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            ObjectDisposedException.ThrowIf(_disposed, typeof(T));
            if (Current is { } one)
                return one;
            await CloseCurrentAsync();
            return _current = await open(cancellationToken);
        }
        finally
        {
            _gate.Release();
        }
    }

    private async Task CloseCurrentAsync()
    {
        if (Interlocked.Exchange(ref _current, null) is { } one)
            await close(one);
    }
}
