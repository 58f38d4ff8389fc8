namespace Azure.Messaging.ServiceBus;

/// <summary>Something that is opened when first needed, shared while it is usable, and opened anew after it broke.</summary>
/// <param name="open">Opens one; callers that come meanwhile wait for it.</param>
/// <param name="isUsable">False once it broke.</param>
/// <param name="close">Frees a broken or no longer needed one; does not fail.</param>
internal sealed class Reopening<T>(Func<CancellationToken, Task<T>> open, Func<T, bool> isUsable, Func<T, Task> close) : IAsyncDisposable
    where T : class
{
    private readonly SemaphoreSlim gate = new(1);
    private volatile T? current;
    private bool disposed;

    /// <summary>The one in use; null when there is none that works.</summary>
    public T? Current => current is { } one && isUsable(one) ? one : null;

    public ValueTask<T> GetAsync(CancellationToken cancellationToken) =>
        Current is { } one ? new ValueTask<T>(one) : new ValueTask<T>(OpenAsync(cancellationToken));

    public async ValueTask DisposeAsync()
    {
        await gate.WaitAsync();
        try
        {
            disposed = true;
            await CloseCurrentAsync();
        }
        finally
        {
            gate.Release();
        }
    }

    private async Task<T> OpenAsync(CancellationToken cancellationToken)
    {
        await gate.WaitAsync(cancellationToken);
        try
        {
            ObjectDisposedException.ThrowIf(disposed, typeof(T));
            if (Current is { } one)
                return one;
            await CloseCurrentAsync();
            return current = await open(cancellationToken);
        }
        finally
        {
            gate.Release();
        }
    }

    private async Task CloseCurrentAsync()
    {
        if (Interlocked.Exchange(ref current, null) is { } one)
            await close(one);
    }
}
