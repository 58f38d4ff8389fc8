using System.Collections.Concurrent;
using System.Net;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Gateway;

/// <summary>
/// Ingestion is its own judge: each body is sent to it, and through a gateway that has its document to a fake that takes everything. What
/// Ingestion refuses must not have come through, unless it is for times that no schema can compare.
/// </summary>
public sealed class NoInvalidBodyTests
{
    private const int AtATime = 8;

    private static readonly string[] OfTimes = ["Must not be before pickupTime.", "Must be within 10 years."];

    private static readonly string Request = JsonSerializer.Serialize(SampleRequests.Delivery("order-1"), ContractJson.Options);

    private static readonly string Reschedule = JsonSerializer.Serialize(
        new RescheduleRequest
        {
            PickupLocation = new() { Latitude = 47.64, Longitude = -122.13 },
            PickupTime = new(2030, 1, 31, 12, 0, 0, TimeSpan.Zero),
            Deadline = new(2030, 1, 31, 15, 0, 0, TimeSpan.Zero),
        },
        ContractJson.Options);

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(2026, 8_000, "POST", "/api/deliveryrequests")]
    [InlineData(11, 2_000, "PATCH", "/api/deliveryrequests/order-1")]
    public async Task Of_mutated_bodies_only_valid_ones_come_through(int seed, int count, string method, string path)
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        await using var gateway = await GatewayUnderTest.StartAsync(
            [], await ingestion.Http.GetStringAsync(new Uri("/openapi/v1.json", UriKind.Relative), Cancelled));
        await gateway.ReadyAsync();
        var mutations = new Mutations(seed);
        var mutants = Enumerable.Range(0, count).Select(_ => mutations.Next(method == "POST" ? Request : Reschedule)).ToList();
        var (passed, refused, wrong) = (0, 0, new ConcurrentQueue<string>());

        await Parallel.ForEachAsync(
            mutants,
            new ParallelOptions { MaxDegreeOfParallelism = AtATime, CancellationToken = Cancelled },
            async (mutant, _) =>
            {
                var (judgement, why) = await SendAsync(ingestion.Http, method, path, mutant);
                var isValid = judgement == HttpStatusCode.Accepted || OfTimes.Any(why.Contains);
                var cameThrough = (await SendAsync(gateway.Http, method, path, mutant)).Status == HttpStatusCode.OK;
                Interlocked.Increment(ref cameThrough ? ref passed : ref refused);
                if (cameThrough && !isValid || isValid && !cameThrough && !mutant.MayBeStricter)
                    wrong.Enqueue($"{(isValid ? "valid" : "invalid")}, {mutant.ContentType}: {Encoding.UTF8.GetString(mutant.Body)}");
            });

        Assert.True(wrong.IsEmpty, $"{wrong.Count} of {count} were judged wrongly: {string.Join("\n", wrong.Take(10))}");
        Assert.Equal(passed, gateway.Backend.Requests.Count);
        Assert.InRange(passed, count / 50, count / 2); // so that both judgements were put to the test
        Assert.Equal(count, passed + refused);
    }

    private static async Task<(HttpStatusCode Status, string Body)> SendAsync(HttpClient http, string method, string path, Mutant mutant)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), path) { Content = new ByteArrayContent(mutant.Body) };
        request.Content.Headers.ContentType = MediaTypeHeaderValue.Parse(mutant.ContentType);
        request.Headers.Add("Ocp-Apim-Subscription-Key", GatewayUnderTest.Key);
        using var answer = await http.SendAsync(request, Cancelled);
        return (answer.StatusCode, await answer.Content.ReadAsStringAsync(Cancelled));
    }
}
