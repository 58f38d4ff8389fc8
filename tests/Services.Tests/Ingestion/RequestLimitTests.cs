using System.Net;
using DroneDelivery.Ingestion;
using DroneDelivery.Ingestion.Limits;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Services.Tests.Ingestion;

public sealed class RequestLimitTests
{
    private const string Status = "/api/deliveryrequests/order-1";

    [Fact]
    public async Task Requests_over_the_concurrency_limit_wait()
    {
        const int Limit = 3;
        await using var ingestion = await StartAsync(Limit, waiting: 10);
        var mayAnswer = ingestion.Backends.Hold();

        var answers = Enumerable.Range(0, Limit + 5).Select(_ => ingestion.Http.StatusAsync(Status)).ToList();
        await Eventually.TrueAsync(() => ingestion.Backends.Running == Limit);
        mayAnswer.SetResult();

        Assert.All(await Task.WhenAll(answers), status => Assert.Equal(HttpStatusCode.NotFound, status));
        Assert.Equal(Limit, ingestion.Backends.MostRunning);
        Assert.Equal(Limit + 5, ingestion.Backends.Calls.Count);
    }

    [Fact]
    public async Task Request_over_the_waiting_limit_returns_503()
    {
        await using var ingestion = await StartAsync(limit: 1, waiting: 0);
        var mayAnswer = ingestion.Backends.Hold();
        var first = ingestion.Http.StatusAsync(Status);
        await Eventually.TrueAsync(() => ingestion.Backends.Running == 1);

        using var refused = await ingestion.Http.SendAsync(HttpMethod.Get, Status);

        Assert.Equal(HttpStatusCode.OK, await ingestion.Http.StatusAsync("/health/live")); // Probes do not wait.
        var problem = await refused.ReadProblemAsync(HttpStatusCode.ServiceUnavailable);
        Assert.Equal(TimeSpan.FromSeconds(1), refused.Headers.RetryAfter?.Delta);
        Assert.Equal("urn:drone-delivery:too-many-requests", problem.GetProperty("type").GetString());
        mayAnswer.SetResult();
        Assert.Equal(HttpStatusCode.NotFound, await first);
        Assert.Equal(HttpStatusCode.NotFound, await ingestion.Http.StatusAsync(Status));
    }

    [Fact]
    public async Task Client_that_disconnects_releases_its_place_in_the_queue()
    {
        var mayAnswer = new TaskCompletionSource();
        var limit = new RequestLimit(
            _ => mayAnswer.Task,
            Options.Create(new IngestionOptions { MaxConcurrentRequests = 1, MaxWaitingRequests = 1 })
        );
        using var leaves = new CancellationTokenSource();
        var first = limit.InvokeAsync(new DefaultHttpContext());
        var second = limit.InvokeAsync(new DefaultHttpContext { RequestAborted = leaves.Token });

        await leaves.CancelAsync();
        var third = limit.InvokeAsync(new DefaultHttpContext());

        Assert.False(third.IsCompleted, "The request was rejected instead of queued.");
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => second);
        mayAnswer.SetResult();
        await Task.WhenAll(first, third);
    }

    private static Task<IngestionUnderTest> StartAsync(int limit, int waiting) =>
        IngestionUnderTest.StartAsync(
            new() { ["Ingestion:MaxConcurrentRequests"] = $"{limit}", ["Ingestion:MaxWaitingRequests"] = $"{waiting}" }
        );
}
