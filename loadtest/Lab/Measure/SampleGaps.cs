using System.Collections.Concurrent;
using System.Text.Json;
using StackExchange.Redis;

namespace DroneDelivery.Lab.Measure;

/// <summary>Goes on sampling although somebody does not answer for a while, and says where the samples have a gap.</summary>
internal sealed class SampleGaps(Action<string> notice, TimeProvider clock)
{
    private readonly ConcurrentDictionary<string, DateTimeOffset> _since = new();

    /// <summary>Whether an exception says that a part of the application is gone or does not answer in time.</summary>
    /// <param name="stopping">A wait that this ended is none.</param>
    public static bool IsNoAnswer(Exception exception, CancellationToken stopping) =>
        exception is HttpRequestException or RedisException or TimeoutException or OperationCanceledException
        && !stopping.IsCancellationRequested;

    /// <summary>Takes one sample, or notes that there is none.</summary>
    /// <param name="source">Who is asked, as people call it.</param>
    public async Task SampleAsync(string source, Func<CancellationToken, Task> sample, CancellationToken stopping)
    {
        try
        {
            await sample(stopping);
        }
        catch (Exception exception) when (exception is JsonException || IsNoAnswer(exception, stopping))
        {
            if (_since.TryAdd(source, clock.GetUtcNow()))
                notice($"{source} does not answer: its samples have a gap from now on.");
            return;
        }

        if (_since.TryRemove(source, out var since))
            notice($"{source} answers again; its samples lack {(clock.GetUtcNow() - since).TotalSeconds:0} s.");
    }
}
