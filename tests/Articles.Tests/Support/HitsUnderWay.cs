using System.Net;

namespace DroneDelivery.Articles.Tests.Support;

/// <summary>
/// Clients that send hits until the load ends. An error counts as a missing response, because the service may have been
/// killed.
/// </summary>
internal sealed class HitsUnderWay
{
    public const int Clients = 8;

    private static readonly TimeSpan PauseAfterError = TimeSpan.FromMilliseconds(50);

    private readonly Uri _address;
    private readonly Task _all;
    private int _answered;
    private volatile bool _isOver;

    public HitsUnderWay(Uri service)
    {
        _address = service;
        _all = Task.WhenAll(Enumerable.Range(0, Clients).Select(HitAsync));
    }

    public Task AnsweredAsync(int hits) =>
        Progress.UntilAsync(() => Task.FromResult(Volatile.Read(ref _answered) >= hits), () => _answered);

    /// <returns>The number of hits that received a response.</returns>
    public async Task<int> EndAsync()
    {
        _isOver = true;
        await _all;
        return _answered;
    }

    private async Task HitAsync(int client)
    {
        using var http = new HttpClient { BaseAddress = _address };
        while (!_isOver && !Cancelled.IsCancellationRequested)
        {
            try
            {
                using var response = await TrackingUnderTest.HitAsync(http, $"/track/hits?account=user{client % 2}");
                if (response.StatusCode == HttpStatusCode.OK)
                    Interlocked.Increment(ref _answered);
            }
            catch (Exception)
            {
                await Task.Delay(PauseAfterError);
            }
        }
    }
}
