using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

public sealed class ReplicaTests
{
    [Fact]
    public async Task Concurrent_calls_rotate_across_replicas()
    {
        await using var replicas = await Replicas.StartAsync(3);
        await using var caller = new Caller([], TimeProvider.System, replicas.All);

        var answers = await Task.WhenAll(Enumerable.Range(0, 60).Select(_ => caller.CallAsync()));

        Assert.All(replicas.All, replica => Assert.Equal(Enumerable.Repeat("backend", 20), replica.Header("Host")));
        Assert.All(answers, answer =>
            Assert.Equal("http://backend/anything", answer.RequestMessage?.RequestUri?.ToString())
        );
    }

    [Fact]
    public async Task Endless_response_is_aborted()
    {
        await using var replicas = await Replicas.StartAsync(1);
        await using var caller = new Caller([], TimeProvider.System, replicas.All);
        var written = 0;
        replicas.All[0].Write = async response =>
        {
            for (; written < 1_000 && !response.HttpContext.RequestAborted.IsCancellationRequested; written++)
                await response.Body.WriteAsync(new byte[1 << 20], response.HttpContext.RequestAborted);
        };

        await Assert.ThrowsAsync<HttpRequestException>(caller.CallAsync);

        Assert.InRange(written, 4, 100);
    }

    [Fact]
    public async Task Dead_replica_is_skipped_until_it_recovers()
    {
        var time = new ManualTimeProvider();
        await using var replicas = await Replicas.StartAsync(3);
        await using var caller = new Caller([], time, replicas.All);
        var port = replicas.All[1].Port;
        await replicas.All[1].DisposeAsync();

        for (var i = 0; i < 30; i++)
            Assert.Equal(HttpStatusCode.OK, (await caller.CallAsync()).StatusCode);
        Assert.Equal(30, replicas.All[0].Calls + replicas.All[2].Calls);
        Assert.InRange(replicas.All[0].Calls, 10, 20);

        await using var revived = await FakeReplica.StartAsync(port);
        time.Advance(TimeSpan.FromSeconds(1.9));
        await caller.CallAsync(6);
        Assert.Equal(0, revived.Calls);
        time.Advance(TimeSpan.FromSeconds(0.2));
        await caller.CallAsync(30);
        Assert.Equal(10, revived.Calls);
    }

    [Fact]
    public async Task Retried_call_sends_the_span_of_its_own_attempt()
    {
        var spans = new ConcurrentQueue<Activity>();
        using var listener = KeepIn(spans);
        using var operation = new Activity("operation").Start();
        await using var replicas = await Replicas.StartAsync(2);
        await using var caller = new Caller([], new ManualTimeProvider(), replicas.All);
        await replicas.All[1].DisposeAsync();

        await caller.CallAsync(2);

        var failed = spans.Single(span => span.TraceId == operation.TraceId && span.Status == ActivityStatusCode.Error);
        var told = replicas
            .All[0]
            .Header("traceparent")
            .Select(parent => ActivityContext.Parse(parent, null).SpanId)
            .ToList();
        Assert.Equal(2, told.Count);
        Assert.DoesNotContain(failed.SpanId, told);
    }

    [Fact]
    public async Task New_addresses_are_used_immediately()
    {
        await using var replicas = await Replicas.StartAsync(2);
        var (one, other) = (replicas.All[0], replicas.All[1]);
        await using var caller = new Caller([], TimeProvider.System, [one]);
        await caller.CallAsync(1);

        caller.Announce(one.Address, other.Address);
        await caller.CallAsync(10);

        Assert.Equal((6, 5), (one.Calls, other.Calls));
        // An unchanged replica keeps its connection.
        Assert.Single(one.Requests.Select(request => request.Connection).Distinct());
    }

    [Fact]
    public async Task Removed_replica_finishes_its_calls_and_gets_no_new_ones()
    {
        await using var replicas = await Replicas.StartAsync(2);
        var (gone, other) = (replicas.All[0], replicas.All[1]);
        var answer = new TaskCompletionSource<int>();
        gone.Answer = () => answer.Task;
        await using var caller = new Caller([], TimeProvider.System, [gone]);
        var last = caller.CallAsync();
        await Eventually.TrueAsync(() => gone.Running == 1);

        caller.Announce(other.Address);
        await caller.CallAsync(3);
        answer.SetResult(202);

        Assert.Equal((HttpStatusCode.Accepted, 1, 3), ((await last).StatusCode, gone.Calls, other.Calls));
    }

    [Fact]
    public async Task Calls_succeed_while_the_replicas_change()
    {
        await using var replicas = await Replicas.StartAsync(2);
        await using var caller = new Caller([], TimeProvider.System, [replicas.All[0]]);
        var changes = new Lock();

        await Parallel.ForAsync(0, 2_000, Cancelled, async (i, _) =>
        {
            lock (changes)
                caller.Announce(replicas.All[i % 2].Address);
            using var response = await caller.CallAsync();
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        });
    }

    [Fact]
    public async Task Certificate_of_an_https_replica_is_validated()
    {
        using var certificate = Certificates.SelfSigned();
        await using var replica = await FakeReplica.StartAsync(certificate: certificate);
        await using var caller = new Caller([], TimeProvider.System, [replica]);

        var failure = await Assert.ThrowsAsync<HttpRequestException>(caller.CallAsync);

        Assert.Contains("certificate", failure.InnerException!.Message, StringComparison.OrdinalIgnoreCase);
        Assert.Equal(0, replica.Calls);
    }

    [Fact]
    public async Task Each_replica_is_tried_once_when_all_are_dead()
    {
        var spans = new ConcurrentQueue<Activity>();
        using var listener = KeepIn(spans);
        using var operation = new Activity("operation").Start();
        await using var replicas = await Replicas.StartAsync(4);
        await using var caller = new Caller([], TimeProvider.System, replicas.All);
        foreach (var replica in replicas.All)
            await replica.DisposeAsync();

        var exception = await Assert.ThrowsAsync<HttpRequestException>(caller.CallAsync);

        Assert.Equal(HttpRequestError.ConnectionError, exception.HttpRequestError);
        Assert.Equal(4, spans.Count(span => span.TraceId == operation.TraceId));
    }

    [Fact]
    public async Task Connection_reset_counts_as_an_unavailable_service()
    {
        using var server = new ResettingServer();
        var settings = new Dictionary<string, string?>
        {
            ["services:backend:http:0"] = server.Address,
            ["Resilience:RetryDelays:0"] = "00:00:00",
            ["Resilience:BreakerMinimumThroughput"] = "2",
        };
        await using var caller = new Caller(settings, TimeProvider.System, []);

        var failure = await Assert.ThrowsAsync<HttpRequestException>(caller.CallAsync);
        await Assert.ThrowsAsync<HttpRequestException>(caller.CallAsync);
        await Assert.ThrowsAsync<HttpRequestException>(caller.CallAsync);

        Assert.Equal(HttpRequestError.ConnectionError, failure.HttpRequestError);
        Assert.Equal(4, server.Resets); // Two calls with one retry each, and then the circuit is open.
    }

    private static ActivityListener KeepIn(ConcurrentQueue<Activity> spans)
    {
        var listener = new ActivityListener
        {
            ShouldListenTo = source => source.Name == "System.Net.Http",
            Sample = (ref _) => ActivitySamplingResult.AllData,
            ActivityStopped = spans.Enqueue,
        };
        ActivitySource.AddActivityListener(listener);
        return listener;
    }
}
