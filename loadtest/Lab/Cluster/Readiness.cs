namespace DroneDelivery.Lab.Cluster;

/// <summary>Waits until processes respond; fails if one exits or takes too long.</summary>
/// <param name="seconds">The timeout of one attempt.</param>
internal sealed class Readiness(
    Task<CrashException> crashed,
    IProgress<(int Ready, int All)> progress,
    int all,
    double seconds = 10
) : IDisposable
{
    private static readonly TimeSpan MaxWait = TimeSpan.FromMinutes(2),
        Pause = TimeSpan.FromMilliseconds(100);
    private readonly HttpClient _http = Loopback.CreateClient(seconds);
    private int _ready;

    public Task WaitAsync(ChildProcess process, Uri url, CancellationToken cancellationToken) =>
        WaitAsync(process, token => AnswersAsync(new Uri(url, "health/ready"), token), cancellationToken);

    public async Task WaitAsync(
        ChildProcess process,
        Func<CancellationToken, Task<bool>> isReady,
        CancellationToken cancellationToken
    )
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        timeout.CancelAfter(MaxWait);
        try
        {
            while (!await isReady(timeout.Token))
            {
                if (crashed.IsCompleted)
                    throw await crashed;
                await Task.Delay(Pause, timeout.Token);
            }
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new LabException(
                $"{process.Name} was not ready within {MaxWait.TotalSeconds} s. Its log: {process.Log}"
            );
        }

        progress.Report((Interlocked.Increment(ref _ready), all));
    }

    public void Dispose() => _http.Dispose();

    private async Task<bool> AnswersAsync(Uri url, CancellationToken cancellationToken)
    {
        try
        {
            using var response = await _http.GetAsync(url, cancellationToken);
            return response.IsSuccessStatusCode;
        }
        catch (Exception exception)
            when (exception is HttpRequestException
                || (exception is OperationCanceledException && !cancellationToken.IsCancellationRequested)
            )
        {
            return false;
        }
    }
}
