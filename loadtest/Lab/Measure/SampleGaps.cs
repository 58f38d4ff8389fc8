using System.Collections.Concurrent;
using System.Text.Json;
using StackExchange.Redis;

namespace DroneDelivery.Lab.Measure;

/// <summary>Reports gaps in the samples of a source that temporarily doesn't respond.</summary>
internal sealed class SampleGaps(Action<string> notice, TimeProvider clock)
{
    private readonly ConcurrentDictionary<string, DateTimeOffset> _since = new();

    /// <summary>Returns whether a source is unavailable or timed out.</summary>
    /// <param name="stopping">Its cancellation isn't a timeout.</param>
    public static bool IsUnavailable(Exception exception, CancellationToken stopping) =>
        exception is HttpRequestException or RedisException or TimeoutException or OperationCanceledException
        && !stopping.IsCancellationRequested;

    public async Task SampleAsync(string source, Func<CancellationToken, Task> sample, CancellationToken stopping)
    {
        try
        {
            await sample(stopping);
        }
        catch (Exception exception) when (exception is JsonException || IsUnavailable(exception, stopping))
        {
            if (_since.TryAdd(source, clock.GetUtcNow()))
                notice($"{source} doesn't respond: its samples have a gap from now on.");
            return;
        }

        if (_since.TryRemove(source, out var since))
            notice($"{source} responds again; its samples lack {(clock.GetUtcNow() - since).TotalSeconds:0} s.");
    }
}
