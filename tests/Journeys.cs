#pragma warning disable IDE0005 // Lab.Tests has these for all of its files.
using System.Net;
using System.Net.Http.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Lab.Load;
#pragma warning restore IDE0005

namespace DroneDelivery.Testing;

/// <summary>
/// Sends deliveries as a client does, and follows the Location of each response until the delivery is recorded.
/// </summary>
internal sealed class Journeys(HttpClient http, TimeProvider clock, IReadOnlyList<Uri> ingestion)
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(50);

    private readonly DeliveryRequests _requests = DeliveryRequests.Load();

    /// <param name="callers">The number of deliveries in progress at once.</param>
    /// <param name="patience">The maximum time from a request to the recorded delivery.</param>
    public async Task<IReadOnlyList<Journey>> SendAsync(
        int count,
        int callers,
        TimeSpan patience,
        CancellationToken cancellationToken
    )
    {
        var journeys = new Journey[count];
        var options = new ParallelOptions { MaxDegreeOfParallelism = callers, CancellationToken = cancellationToken };
        await Parallel.ForAsync(0, count, options, async (number, stopping) =>
            journeys[number] = await SendAsync(number, patience, stopping)
        );
        return journeys;
    }

    private async Task<Journey> SendAsync(int number, TimeSpan patience, CancellationToken stopping)
    {
        using var timeout = new CancellationTokenSource(patience, clock);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(stopping, timeout.Token);
        try
        {
            using var body = _requests.Create($"journey-{number}");
            var address = new Uri(ingestion[number % ingestion.Count], "api/deliveryrequests");
            using var response = await http.PostAsync(address, body, both.Token);
            if (response is not { StatusCode: HttpStatusCode.Accepted, Headers.Location: { } location })
                return new(null, null, $"rejected with {(int)response.StatusCode}");
            var request = await response.Content.ReadFromJsonAsync<DeliveryRequest>(ContractJson.Options, both.Token);
            var status = await FollowAsync(location, number, both.Token);
            return new(request!.DeliveryId, status, FailureOf(status));
        }
        catch (HttpRequestException exception)
        {
            return new(null, null, exception.Message);
        }
        catch (OperationCanceledException) when (!stopping.IsCancellationRequested)
        {
            return new(null, null, $"not recorded within {patience.TotalSeconds:0} s");
        }
    }

    private async Task<DeliveryStatus> FollowAsync(Uri location, int number, CancellationToken cancellationToken)
    {
        for (; ; await Task.Delay(Pause, clock, cancellationToken))
        {
            try
            {
                // A different replica each time: an unavailable one must not hide the delivery.
                var address = new Uri(ingestion[number++ % ingestion.Count], location);
                using var response = await http.GetAsync(address, cancellationToken);
                if (response.StatusCode == HttpStatusCode.OK)
                {
                    return (
                        await response.Content.ReadFromJsonAsync<DeliveryStatus>(
                            ContractJson.Options,
                            cancellationToken
                        )
                    )!;
                }
            }
            catch (HttpRequestException)
            {
                // The next attempt uses another replica.
            }
        }
    }

    private static string? FailureOf(DeliveryStatus status) =>
        status.Stage == DeliveryStage.Failed ? $"failed: {status.Failure?.Reason}" : null;
}

/// <param name="Status"><c>null</c> if the delivery was not recorded in time.</param>
/// <param name="Failure">The reason why the delivery was not completed; <c>null</c> if it was.</param>
internal sealed record Journey(string? DeliveryId, DeliveryStatus? Status, string? Failure);
