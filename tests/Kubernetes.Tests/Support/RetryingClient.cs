using System.Collections.Concurrent;
using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Lab.Load;

namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary>A client that chooses the id of each delivery, so that it can send a rejected request again.</summary>
internal sealed class RetryingClient(HttpClient http, Uri ingestion)
{
    private const int Batch = 20;

    private static readonly TimeSpan BatchInterval = TimeSpan.FromSeconds(0.5),
        RetryAfter = TimeSpan.FromSeconds(1);

    private readonly JsonNode _template = JsonNode.Parse(DeliveryRequests.Template(instructionsLength: 0))!;

    /// <summary>Sends a batch of deliveries at a fixed rate, and each delivery until it is accepted.</summary>
    /// <param name="atLeast">The minimum number of deliveries.</param>
    /// <param name="until">Deliveries are sent until this task has completed.</param>
    /// <returns>The status URLs of the deliveries.</returns>
    public async Task<IReadOnlyList<Uri>> SendAsync(int atLeast, Task until)
    {
        using var timer = new PeriodicTimer(BatchInterval);
        var sending = new List<Task<Uri>>();
        while (sending.Count < atLeast || !until.IsCompleted)
        {
            await timer.WaitForNextTickAsync(TestContext.Current.CancellationToken);
            sending.AddRange(Enumerable.Range(sending.Count, Batch).Select(number => SendAsync($"delivery-{number}")));
        }
        await until;
        return await Task.WhenAll(sending);
    }

    /// <summary>
    /// Gets the responses about deliveries that aren't recorded, are recorded more than once, or have failed.
    /// </summary>
    public async Task<IReadOnlyCollection<string>> GetFaultsAsync(IEnumerable<Uri> statusUrls)
    {
        var faults = new ConcurrentBag<string>();
        await Parallel.ForEachAsync(statusUrls, TestContext.Current.CancellationToken, async (url, stopping) =>
        {
            using var response = await http.GetAsync(new Uri(ingestion, url), stopping);
            var body = await response.Content.ReadAsStringAsync(stopping);
            if (response.StatusCode != HttpStatusCode.OK || !IsCreatedOnce(body))
                faults.Add($"{url}: {(int)response.StatusCode} {body}");
        });
        return faults;
    }

    private static bool IsCreatedOnce(string body)
    {
        var status = JsonSerializer.Deserialize<DeliveryStatus>(body, ContractJson.Options)!;
        return status is { Stage: DeliveryStage.Created, Events: [{ Stage: DeliveryStage.Created }] };
    }

    private async Task<Uri> SendAsync(string id)
    {
        while (true)
        {
            if (await TrySendAsync(id) is { } statusUrl)
                return statusUrl;
            await Task.Delay(RetryAfter, TestContext.Current.CancellationToken);
        }
    }

    /// <returns>
    /// The status URL; <c>null</c> if the request was temporarily rejected or its connection was closed.
    /// </returns>
    private async Task<Uri?> TrySendAsync(string id)
    {
        var request = _template.DeepClone();
        request["deliveryId"] = id;
        request["packageInfo"]!["packageId"] = id;
        try
        {
            using var response = await http.PostAsJsonAsync(
                new Uri(ingestion, "api/deliveryrequests"),
                request,
                TestContext.Current.CancellationToken
            );
            if (response.StatusCode == HttpStatusCode.ServiceUnavailable)
                return null;
            Assert.Equal(HttpStatusCode.Accepted, response.StatusCode);
            return response.Headers.Location;
        }
        catch (HttpRequestException)
        {
            return null;
        }
    }
}
