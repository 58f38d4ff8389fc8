using System.Net;
using System.Net.Http.Json;
using DroneDelivery.Contracts;

namespace DroneDelivery.Lab.Load;

/// <summary>Sends deliveries and follows each until the Delivery service knows it, drone included.</summary>
internal sealed class Journeys(HttpClient http, TimeProvider clock, IReadOnlyList<Uri> ingestion, IReadOnlyList<Uri> delivery)
{
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(5), LongestPause = TimeSpan.FromMilliseconds(200);
    private readonly DeliveryRequests _requests = DeliveryRequests.Load();
    private readonly string _batch = clock.GetUtcNow().ToUnixTimeMilliseconds().ToString("x", System.Globalization.CultureInfo.InvariantCulture);

    /// <param name="count">Deliveries.</param>
    /// <param name="callers">Deliveries under way at a time.</param>
    /// <param name="patience">How long a delivery may take from the request to its end.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    /// <returns>One journey for each delivery.</returns>
    public async Task<IReadOnlyList<Journey>> SendAsync(int count, int callers, TimeSpan patience, CancellationToken cancellationToken)
    {
        var journeys = new Journey[count];
        var options = new ParallelOptions { MaxDegreeOfParallelism = callers, CancellationToken = cancellationToken };
        await Parallel.ForAsync(0, count, options, async (i, token) => journeys[i] = await TravelAsync(i, patience, token));
        return journeys;
    }

    private async Task<Journey> TravelAsync(int number, TimeSpan patience, CancellationToken cancellationToken)
    {
        var start = clock.GetTimestamp();
        using var timeout = new CancellationTokenSource(patience, clock);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timeout.Token);
        try
        {
            if (await RequestAsync(number, both.Token) is not { } id)
                return new(null, null, default);
            var droneId = await FollowAsync(id, number, both.Token);
            return new(id, droneId, clock.GetElapsedTime(start));
        }
        catch (OperationCanceledException) when (timeout.IsCancellationRequested)
        {
            return new(null, null, default);
        }
    }

    /// <returns>The delivery's id, or null when it was not accepted.</returns>
    private async Task<string?> RequestAsync(int number, CancellationToken cancellationToken)
    {
        using var body = _requests.Create($"{_batch}-{number}");
        using var response = await http.PostAsync(new Uri(ingestion[number % ingestion.Count], "api/deliveryrequests"), body, cancellationToken);
        return response.StatusCode == HttpStatusCode.Accepted
            ? (await response.Content.ReadFromJsonAsync<DeliveryRequest>(ContractJson.Options, cancellationToken))?.DeliveryId
            : null;
    }

    private async Task<string> FollowAsync(string id, int number, CancellationToken cancellationToken)
    {
        for (var pause = FirstPause; ; pause = pause * 2 > LongestPause ? LongestPause : pause * 2)
        {
            // Another replica each time: one that is gone must not hide the delivery.
            if (await FindAsync(new Uri(delivery[number++ % delivery.Count], $"api/deliveries/{id}"), cancellationToken) is { } found)
                return found.DroneId;
            await Task.Delay(pause, clock, cancellationToken);
        }
    }

    private async Task<DeliveryDetails?> FindAsync(Uri url, CancellationToken cancellationToken)
    {
        try
        {
            using var response = await http.GetAsync(url, cancellationToken);
            return response.IsSuccessStatusCode ? await response.Content.ReadFromJsonAsync<DeliveryDetails>(ContractJson.Options, cancellationToken) : null;
        }
        catch (HttpRequestException)
        {
            return null;
        }
    }
}

/// <param name="DeliveryId">Null: not accepted, or not delivered in time.</param>
internal sealed record Journey(string? DeliveryId, string? DroneId, TimeSpan Took);

/// <param name="P50">Milliseconds from the request to the delivery with its drone; likewise the others.</param>
internal sealed record JourneyReport(int Sent, int Delivered, double P50, double P95, double P99)
{
    public static JourneyReport Of(IReadOnlyCollection<Journey> journeys)
    {
        var delivered = journeys.Where(journey => journey.DroneId is not null).ToList();
        var times = Percentiles.Of(delivered.Select(journey => journey.Took.TotalMilliseconds));
        return new(journeys.Count, delivered.Count, times.P50, times.P95, times.P99);
    }

    public override string ToString() =>
        Delivered == 0 ? $"0 of {Sent} delivered." : $"{Delivered} of {Sent} delivered; from request to delivery p50 {P50:0} ms, p95 {P95:0} ms, p99 {P99:0} ms.";
}
