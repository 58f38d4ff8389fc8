using System.Net;
using System.Text.Json;

namespace DroneDelivery.Services.Tests.Ingestion;

/// <summary>How many requests one Ingestion works on at a time, seen by those who send them.</summary>
public sealed class RequestLimitTests
{
    private static readonly Uri Status = new("/api/deliveryrequests/order-1", UriKind.Relative);

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task As_many_as_the_limit_run_and_the_others_wait_for_their_turn(int limit)
    {
        await using var ingestion = await StartAsync(limit, waiting: 10);
        var mayAnswer = Hold(ingestion);

        var answers = Enumerable.Range(0, limit + 5).Select(_ => ingestion.Http.GetAsync(Status, Cancelled)).ToList();
        await Eventually.TrueAsync(() => ingestion.Backends.Running == limit);
        mayAnswer.SetResult();

        Assert.All(await Task.WhenAll(answers), answer => Assert.Equal(HttpStatusCode.NotFound, answer.StatusCode));
        Assert.Equal(limit, ingestion.Backends.MostRunning);
        Assert.Equal(limit + 5, ingestion.Backends.Calls.Count);
    }

    [Fact]
    public async Task One_more_than_may_wait_is_told_to_come_again()
    {
        await using var ingestion = await StartAsync(limit: 1, waiting: 0);
        var mayAnswer = Hold(ingestion);
        var first = ingestion.Http.GetAsync(Status, Cancelled);
        await Eventually.TrueAsync(() => ingestion.Backends.Running == 1);

        using var refused = await ingestion.Http.GetAsync(Status, Cancelled);

        Assert.Equal(HttpStatusCode.ServiceUnavailable, refused.StatusCode);
        Assert.Equal(TimeSpan.FromSeconds(1), refused.Headers.RetryAfter?.Delta);
        Assert.Equal("application/problem+json", refused.Content.Headers.ContentType?.MediaType);
        var problem = JsonDocument.Parse(await refused.Content.ReadAsStringAsync(Cancelled)).RootElement;
        Assert.Equal("urn:drone-delivery:too-many-requests", problem.GetProperty("type").GetString());
        mayAnswer.SetResult();
        Assert.Equal(HttpStatusCode.NotFound, (await first).StatusCode);
        using var next = await ingestion.Http.GetAsync(Status, Cancelled);
        Assert.Equal(HttpStatusCode.NotFound, next.StatusCode);
    }

    [Fact]
    public async Task A_probe_does_not_wait()
    {
        await using var ingestion = await StartAsync(limit: 1, waiting: 0);
        var mayAnswer = Hold(ingestion);
        var first = ingestion.Http.GetAsync(Status, Cancelled);
        await Eventually.TrueAsync(() => ingestion.Backends.Running == 1);

        using var live = await ingestion.Http.GetAsync(new Uri("/health/live", UriKind.Relative), Cancelled);

        Assert.Equal(HttpStatusCode.OK, live.StatusCode);
        mayAnswer.SetResult();
        (await first).Dispose();
    }

    [Fact]
    public async Task A_client_that_leaves_gives_its_place_in_the_queue_away()
    {
        await using var ingestion = await StartAsync(limit: 1, waiting: 1);
        var mayAnswer = Hold(ingestion);
        var first = ingestion.Http.GetAsync(Status, Cancelled);
        await Eventually.TrueAsync(() => ingestion.Backends.Running == 1);
        using var leaves = new CancellationTokenSource();
        var second = ingestion.Http.GetAsync(Status, leaves.Token);
        await leaves.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => second);

        mayAnswer.SetResult();
        // The service may hear of who has left later than of who comes.
        await Eventually.TrueAsync(async () =>
        {
            using var third = await ingestion.Http.GetAsync(Status, Cancelled);
            return third.StatusCode == HttpStatusCode.NotFound;
        });

        Assert.Equal(HttpStatusCode.NotFound, (await first).StatusCode);
        Assert.Equal(1, ingestion.Backends.MostRunning);
    }

    [Theory]
    [InlineData("Ingestion:MaxConcurrentRequests", "-1")]
    [InlineData("Ingestion:MaxConcurrentRequests", "many")]
    [InlineData("Ingestion:MaxWaitingRequests", "-1")]
    [InlineData("Ingestion:MaxRequests", "1")]
    public async Task A_limit_that_is_none_is_named(string setting, string value)
    {
        var settings = new Dictionary<string, string?>
        {
            ["ServiceBus:ConnectionString"] = "Endpoint=sb://localhost;SharedAccessKeyName=a;SharedAccessKey=b;UseDevelopmentEmulator=true",
            [setting] = value,
        };
        await using var process = ServiceProcess.Start("Ingestion", settings);

        Assert.Equal(1, await process.ExitCodeAsync());
        Assert.Contains(setting.Split(':')[1], process.Errors, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", process.Errors, StringComparison.Ordinal);
    }

    private static Task<IngestionUnderTest> StartAsync(int limit, int waiting) => IngestionUnderTest.StartAsync(new()
    {
        ["Ingestion:MaxConcurrentRequests"] = $"{limit}",
        ["Ingestion:MaxWaitingRequests"] = $"{waiting}",
    });

    /// <summary>No status is answered until the test says so.</summary>
    private static TaskCompletionSource Hold(IngestionUnderTest ingestion)
    {
        var mayAnswer = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        ingestion.Backends.Interfere = async _ =>
        {
            await mayAnswer.Task;
            return null;
        };
        return mayAnswer;
    }
}
