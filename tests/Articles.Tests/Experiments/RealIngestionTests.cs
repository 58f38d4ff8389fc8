using System.Net;
using DroneDelivery.Articles.HttpScale;

namespace DroneDelivery.Articles.Tests.Experiments;

[Collection(RealProcesses.Name)]
[Trait("tier", "slow")]
public sealed class RealIngestionTests
{
    [Fact]
    public async Task Real_Ingestion_accepts_the_requests_of_closed_clients()
    {
        var record = await ExperimentRuns.OfAsync(
            "http-scale",
            ["ingestion"],
            "real.seconds=0.3",
            "real.repetitions=1"
        );

        var real = record
            .Checks.Where(check => check.Figure.StartsWith("real.", StringComparison.Ordinal))
            .ToDictionary(check => check.Id);
        Assert.Equal(6, real.Count);
        Assert.True(real["http-v"].Holds); // The only one that does not depend on the machine's speed.
        Assert.Equal([6, 3, 6], Assert.Single(record.Variants).Exhibits.Tables.Select(table => table.Rows.Count));
    }

    [Fact]
    [Trait("tier", "nightly")]
    public async Task Each_client_always_has_one_request_in_flight()
    {
        var record = await ExperimentRuns.OfAsync("http-scale", ["ingestion"], "real.seconds=1", "real.repetitions=1");

        var check = record.Checks.Single(check => check.Id == "http-u");
        Assert.True(check.Holds, $"{check.Measured} requests in flight");
    }

    [Theory]
    [Breaks]
    [InlineData("http-r", 10, 10)] // Requests wait for each other.
    [InlineData("http-s", 10, 1)] // The clients were the limit.
    [InlineData("http-t", 1, 1)] // Requests without a free slot are rejected immediately.
    public void Implausible_instance_fails_the_check_for_it(string expected, double msOf16, double msOf64)
    {
        ClosedLoad[] loads =
        [
            Load(1, msOf16 / 16 * (expected == "http-r" ? 1 : 3)),
            Load(4, 1),
            Load(16, msOf16),
            Load(64, msOf64),
        ];

        Assert.Equal(expected, Failing(loads, SixOf(loads[0]), expected));

        // The number of clients for a second, each with the given response time.
        static ClosedLoad Load(int clients, double ms) =>
            new(clients, 1, [.. Enumerable.Repeat(ms, (int)(clients * 1000 / ms))], Failed: 0);
    }

    [Theory]
    [Breaks]
    [InlineData("http-u", 0.5)] // A client pauses as long as it has waited.
    [InlineData("http-u", 1.2)] // Its latency includes the time between two requests.
    [InlineData("", 1)]
    public void Clients_that_pause_fail_the_check_of_Littles_law(string expected, double waiting)
    {
        // For a second, with responses that take 10 ms each.
        var client = new ClosedLoad(1, 1, [.. Enumerable.Repeat(10.0, (int)(100 * waiting))], Failed: 0);

        var load = ClosedLoad.OfEach([.. Enumerable.Repeat(client, 16)], 1);

        Assert.Equal(expected, Failing(AllOf(load), SixOf(load), "http-u", "http-v"));
    }

    [Theory]
    [Breaks]
    [InlineData("http-v", HttpStatusCode.ServiceUnavailable)] // The broker is full, so Ingestion rejects requests.
    [InlineData("", HttpStatusCode.Accepted)]
    public async Task Rejected_requests_fail_the_check_for_them(string expected, HttpStatusCode answer)
    {
        using var http = new HttpClient(new Answering(answer));
        var clients = RealIngestion.ClientsOf(http, [new("http://ingestion")]);

        var load = await clients.RunAsync(16, TimeSpan.FromMilliseconds(10), Cancelled);

        Assert.Equal(expected, Failing(AllOf(load), SixOf(load), "http-v"));
    }

    [Theory]
    [Breaks]
    [InlineData("http-w", 64, 64)] // Ingestion does not apply its limit.
    [InlineData("http-w", 1, 1)] // It handles one request at once, regardless of its limit.
    [InlineData("", 1, 16)]
    public void Check_fails_when_the_concurrency_limit_has_no_effect(string expected, int atATimeOfOne, int atATimeOf16)
    {
        // Each request takes a millisecond, and the CPU suffices for four concurrent ones.
        var limited = SixOf(Load(64));
        limited[0] = Load(atATimeOfOne);
        limited[4] = Load(atATimeOf16);

        Assert.Equal(expected, Failing(AllOf(Load(16)), limited, "http-w"));

        static ClosedLoad Load(int atATime) =>
            new(64, 1, [.. Enumerable.Repeat(1.0, 1000 * Math.Min(atATime, 4))], Failed: 0);
    }

    private static ClosedLoad[] SixOf(ClosedLoad load) => [.. Enumerable.Repeat(load with { Failed = 0 }, 6)];

    /// <summary>Uses the load of 16 clients for any number.</summary>
    private static ClosedLoad[] AllOf(ClosedLoad load) =>
        [.. new[] { 1, 4, 16, 64 }.Select(clients => load with { Clients = clients })];

    private static string Failing(ClosedLoad[] loads, ClosedLoad[] limited, params string[] among) =>
        string.Join(
            ' ',
            ExperimentRuns
                .Judge("http-scale", RealIngestion.Figures(loads, loads, limited))
                .Where(check => check.Holds == false && among.Contains(check.Id))
                .Select(check => check.Id)
        );

    private sealed class Answering(HttpStatusCode status) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request,
            CancellationToken cancellationToken
        ) => Task.FromResult(new HttpResponseMessage(status));
    }
}
