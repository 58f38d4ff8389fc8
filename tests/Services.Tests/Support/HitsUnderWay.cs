using System.Net;
using System.Net.Sockets;

namespace DroneDelivery.Services.Tests.Support;

internal sealed class HitsUnderWay
{
    public const int Clients = 8;

    private readonly Uri _address;
    private readonly Task _all;
    private int _answered;

    public HitsUnderWay(Uri service)
    {
        _address = service;
        _all = Task.WhenAll(Enumerable.Range(0, Clients).Select(client => HitAsync($"user{client % 2}")));
    }

    public Task AnsweredAsync(int hits) => Eventually.TrueAsync(() => Volatile.Read(ref _answered) >= hits);

    public async Task<int> EndAsync()
    {
        await _all;
        return _answered;
    }

    private async Task HitAsync(string account)
    {
        using var http = new HttpClient { BaseAddress = _address };
        try
        {
            while (!Cancelled.IsCancellationRequested)
            {
                using var response = await TrackingUnderTest.HitAsync(http, $"/track/hits?account={account}");
                if (response.StatusCode == HttpStatusCode.OK)
                    Interlocked.Increment(ref _answered);
            }
        }
        catch (Exception exception) when (exception is HttpRequestException or SocketException)
        {
            // The service is gone. HttpClient lets a SocketException through when it goes right after the connection.
        }
    }
}
