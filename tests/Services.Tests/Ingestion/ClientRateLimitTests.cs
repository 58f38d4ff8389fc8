using System.Globalization;
using System.Net;

namespace DroneDelivery.Services.Tests.Ingestion;

public sealed class ClientRateLimitTests
{
    private const string Status = "/api/deliveryrequests/order-1",
        Client = "X-Forwarded-For";

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Request_over_the_limit_returns_429_with_RetryAfter(int permits)
    {
        var window = TimeSpan.FromSeconds(3600.9);
        await using var ingestion = await StartAsync(permits, $"{window}", new() { ["RateLimit:Proxies"] = "1" });
        await SendAsync(ingestion, Client, "192.0.2.1"); // A warmup, so that the next requests are fast.
        var began = TimeProvider.System.GetTimestamp();

        Assert.Equal(
            Enumerable.Repeat(404, permits),
            await SendAsync(ingestion, Client, [.. Enumerable.Repeat("192.0.2.2", permits)])
        );
        using var refused = await ingestion.Http.SendAsync(HttpMethod.Get, Status, null, (Client, "192.0.2.2"));

        var problem = await refused.ReadProblemAsync(HttpStatusCode.TooManyRequests);
        Assert.Equal("urn:drone-delivery:rate-limited", problem.GetProperty("type").GetString());
        Assert.Contains(
            $"{permits} requests in 3600.9 s",
            problem.GetProperty("detail").GetString(),
            StringComparison.Ordinal
        );
        var left = window - TimeProvider.System.GetElapsedTime(began);
        Assert.InRange(refused.Headers.RetryAfter!.Delta!.Value, left, TimeSpan.FromSeconds(3601));
        Assert.Equal(1 + permits, ingestion.Backends.Calls.Count);
    }

    [Fact]
    public async Task Next_window_serves_requests_again()
    {
        await using var ingestion = await StartAsync(permits: 1, window: "00:00:03");

        await Eventually.TrueAsync(async () => (await SendAsync(ingestion, count: 10)).Contains(429));
        await Eventually.TrueAsync(async () => (await SendAsync(ingestion, count: 1)).Single() == 404);
    }

    [Fact]
    public async Task Each_owner_has_a_limit_regardless_of_address()
    {
        await using var ingestion = await StartAsync(permits: 2, more: Tokens.Settings);

        Assert.Equal([404, 404, 429], await SendAsync(ingestion, "Authorization", Owner(1), Owner(1), Owner(1)));
        Assert.Equal([404, 404, 429], await SendAsync(ingestion, "Authorization", Owner(2), Owner(2), Owner(2)));
        // Requests without a valid token count toward the limit of their address before they are rejected.
        Assert.Equal([401, 401, 429], await SendAsync(ingestion, "Authorization", "Bearer x", "Bearer y", "Bearer z"));

        static string Owner(int number) => "Bearer " + Tokens.Of($"owner-{number}");
    }

    [Theory]
    // Addresses in the header do not increase the limit.
    [InlineData("0", "404 429 429", "192.0.2.1", "192.0.2.2", "192.0.2.3")]
    // The last address comes from the proxy, the others from the client.
    [InlineData("1", "404 429", "192.0.2.2", "198.51.100.7, 192.0.2.2")]
    // Two addresses of one network, and another.
    [InlineData("1", "404 429 404", "2001:db8:1:1::1", "2001:db8:1:1:ffff::2", "2001:db8:1:2::1")]
    [InlineData("2", "404 429 404", "192.0.2.1, 203.0.113.1", "192.0.2.1, 203.0.113.2", "192.0.2.2, 203.0.113.1")]
    public async Task Each_client_address_has_its_own_limit(string proxies, string answers, params string[] addresses)
    {
        await using var ingestion = await StartAsync(permits: 1, more: new() { ["RateLimit:Proxies"] = proxies });

        Assert.Equal(answers, string.Join(" ", await SendAsync(ingestion, Client, addresses)));
    }

    [Fact]
    public async Task Probes_and_the_API_description_are_not_limited()
    {
        await using var ingestion = await StartAsync(permits: 1);
        await SendAsync(ingestion, count: 2);

        await ingestion.Http.ReadyAsync();
        foreach (var path in new[] { "/health/live", "/openapi/v1.json" })
            Assert.Equal(HttpStatusCode.OK, await ingestion.Http.StatusAsync(path));
    }

    private static Task<IngestionUnderTest> StartAsync(
        int permits,
        string window = "01:00:00",
        Dictionary<string, string?>? more = null
    ) =>
        IngestionUnderTest.StartAsync(
            new Dictionary<string, string?>
            {
                ["RateLimit:Enabled"] = "true",
                ["RateLimit:Permits"] = permits.ToString(CultureInfo.InvariantCulture),
                ["RateLimit:Window"] = window,
            }.And(more ?? [])
        );

    private static Task<List<int>> SendAsync(IngestionUnderTest ingestion, int count) =>
        SendAsync(ingestion, "X-Any", [.. Enumerable.Repeat("value", count)]);

    private static async Task<List<int>> SendAsync(IngestionUnderTest ingestion, string header, params string[] values)
    {
        var statuses = new List<int>();
        foreach (var value in values)
        {
            using var response = await ingestion.Http.SendAsync(HttpMethod.Get, Status, null, (header, value));
            statuses.Add((int)response.StatusCode);
        }
        return statuses;
    }
}
