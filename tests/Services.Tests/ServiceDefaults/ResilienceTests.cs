using System.Net;
using DroneDelivery.Testing;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>Every option in the <c>Resilience</c> section, seen from the called service.</summary>
public sealed class ResilienceTests : IAsyncLifetime
{
    private FakeReplica _backend = null!;

    public async ValueTask InitializeAsync() => _backend = await FakeReplica.StartAsync();

    public ValueTask DisposeAsync() => _backend.DisposeAsync();

    [Theory]
    [InlineData(false)]
    [InlineData(false, 1.0, 5.0)]
    [InlineData(true, 0.2, 2.0, 6.0)]
    public async Task Failed_call_is_retried_after_each_delay(bool isDefault, params double[] waits)
    {
        var settings = new Dictionary<string, string?> { ["Resilience:RetryJitter"] = "0" };
        if (isDefault)
            settings["Resilience:RetryDelays"] = null;
        foreach (var (index, seconds) in isDefault ? [] : waits.Index())
            settings[$"Resilience:RetryDelays:{index}"] = $"00:00:0{seconds}";
        var time = new InstantTime(TimeSpan.FromSeconds(9));
        await using var caller = new Caller(settings, time, [_backend]);
        _backend.Answer = () => Task.FromResult(503);

        using var response = await caller.CallAsync();

        Assert.Equal(HttpStatusCode.ServiceUnavailable, response.StatusCode);
        Assert.Equal(waits.Length + 1, _backend.Calls);
        Assert.Equal(waits, time.Waits.Select(wait => wait.TotalSeconds));
    }

    [Fact]
    public async Task Default_retries_are_delayed_with_jitter()
    {
        var time = new InstantTime(TimeSpan.FromSeconds(9.5));
        await using var caller = new Caller(
            new() { ["Resilience:RetryDelays"] = null, ["Resilience:BreakerFailureRatio"] = "0" },
            time,
            [_backend]
        );
        _backend.Answer = () => Task.FromResult(500);

        await caller.CallAsync(100);

        var first = time.Waits.Where((_, i) => i % 3 == 0).ToList();
        Assert.All(first, wait => Assert.InRange(wait.TotalSeconds, 0.1, 0.3));
        Assert.Contains(first, wait => wait.TotalSeconds < 0.15);
        Assert.Contains(first, wait => wait.TotalSeconds > 0.25);
    }

    [Theory]
    [InlineData(408, 2)]
    [InlineData(429, 2)]
    [InlineData(500, 2)]
    [InlineData(503, 2)]
    [InlineData(302, 1)] // The redirect is not followed either.
    [InlineData(400, 1)]
    [InlineData(404, 1)]
    [InlineData(409, 1)]
    [InlineData(422, 1)]
    public async Task Transient_status_is_retried_and_a_rejection_is_not(int status, int calls)
    {
        await using var caller = new Caller(
            new() { ["Resilience:RetryDelays:0"] = "00:00:00" },
            TimeProvider.System,
            [_backend]
        );
        _backend.Answer = () => Task.FromResult(status);
        _backend.Headers = headers => headers.Location = "http://backend/elsewhere";

        using var response = await caller.CallAsync();

        Assert.Equal((status, calls), ((int)response.StatusCode, _backend.Calls));
    }

    [Theory]
    [InlineData(null, "4", 4.0)]
    [InlineData(null, "0", 0.2)]
    [InlineData(null, "Tue, 01 Jan 2030 00:00:05 GMT", 5.0)]
    [InlineData(null, "Mon, 31 Dec 2029 00:00:00 GMT", 0.2)] // Already in the past.
    [InlineData("00:00:01", "4", 1.0)] // Configured delays take precedence.
    [InlineData(null, "31", null)] // Longer than the total timeout.
    public async Task Retry_follows_RetryAfter_with_the_default_delays(string? delay, string retryAfter, double? wait)
    {
        var settings = new Dictionary<string, string?>
        {
            ["Resilience:RetryJitter"] = "0",
            ["Resilience:TotalTimeout"] = "00:00:30",
        };
        settings[delay is null ? "Resilience:RetryDelays" : "Resilience:RetryDelays:0"] = delay;
        var time = new InstantTime(TimeSpan.FromSeconds(9));
        await using var caller = new Caller(settings, time, [_backend]);
        _backend.Answer = () => Task.FromResult(_backend.Calls == 1 ? 503 : 200);
        _backend.Headers = headers => headers.RetryAfter = retryAfter;

        using var response = await caller.CallAsync();

        Assert.Equal(wait is null ? [] : [TimeSpan.FromSeconds(wait.Value)], time.Waits);
        Assert.Equal(wait is null ? HttpStatusCode.ServiceUnavailable : HttpStatusCode.OK, response.StatusCode);
    }

    [Fact]
    public async Task Call_ends_with_its_total_timeout()
    {
        var time = new ManualTimeProvider();
        await using var caller = new Caller(
            new()
            {
                ["Resilience:RetryDelays:0"] = "00:00:00",
                ["Resilience:RetryDelays:1"] = "00:00:00",
                ["Resilience:AttemptTimeout"] = "00:00:03",
                ["Resilience:TotalTimeout"] = "00:00:05",
            },
            time,
            [_backend]
        );
        var never = new TaskCompletionSource<int>();
        _backend.Answer = () => never.Task;

        var call = caller.CallAsync();
        await Eventually.TrueAsync(() => _backend.Calls == 1);
        time.Advance(TimeSpan.FromSeconds(2.9));
        Assert.Equal(1, _backend.Calls);
        time.Advance(TimeSpan.FromSeconds(0.1));
        await Eventually.TrueAsync(() => _backend.Calls == 2);
        time.Advance(TimeSpan.FromSeconds(1.9));
        Assert.False(call.IsCompleted);
        time.Advance(TimeSpan.FromSeconds(0.2));

        var exception = await Assert.ThrowsAsync<HttpRequestException>(() => call);
        Assert.Contains("Resilience:TotalTimeout", exception.Message, StringComparison.Ordinal);
        Assert.Equal(2, _backend.Calls);
        never.SetResult(200);
    }

    [Fact]
    public async Task Wait_for_concurrency_counts_toward_the_total_timeout()
    {
        var time = new ManualTimeProvider();
        await using var caller = new Caller(
            new() { ["Resilience:ConcurrencyLimit"] = "1", ["Resilience:TotalTimeout"] = "00:00:10" },
            time,
            [_backend]
        );
        var open = new TaskCompletionSource<int>();
        _backend.Answer = () => open.Task;
        var first = caller.CallAsync();
        await Eventually.TrueAsync(() => _backend.Calls == 1);

        var second = caller.CallAsync();
        time.Advance(TimeSpan.FromSeconds(10));

        await Assert.ThrowsAsync<HttpRequestException>(() => second);
        Assert.Equal(1, _backend.Calls);
        open.SetResult(200);
        await Assert.ThrowsAsync<HttpRequestException>(() => first);
    }

    [Fact]
    public async Task Canceled_call_is_not_retried()
    {
        await using var caller = new Caller(
            new() { ["Resilience:RetryDelays:0"] = "00:00:00" },
            TimeProvider.System,
            [_backend]
        );
        using var givingUp = new CancellationTokenSource();
        var never = new TaskCompletionSource<int>();
        _backend.Answer = () => never.Task;

        var call = caller.Http.GetAsync(new Uri("anything", UriKind.Relative), givingUp.Token);
        await Eventually.TrueAsync(() => _backend.Running == 1);
        await givingUp.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        Assert.Equal(1, _backend.Calls);
        never.SetResult(200);
    }

    [Fact]
    public async Task Stalled_body_ends_with_the_attempt_timeout()
    {
        var time = new ManualTimeProvider();
        await using var caller = new Caller(new() { ["Resilience:AttemptTimeout"] = "00:00:03" }, time, [_backend]);
        var (begun, never) = (new TaskCompletionSource(), new TaskCompletionSource());
        _backend.Write = async response =>
        {
            await response.WriteAsync("the beginning");
            begun.SetResult();
            await never.Task;
        };

        var call = caller.CallAsync();
        await begun.Task;
        time.Advance(TimeSpan.FromSeconds(3.1));

        var exception = await Assert.ThrowsAsync<HttpRequestException>(() => call);
        Assert.Contains("Resilience:AttemptTimeout", exception.Message, StringComparison.Ordinal);
        never.SetResult();
    }

    [Fact]
    public async Task Attempt_timeout_may_exceed_the_default_total_timeout()
    {
        var time = new ManualTimeProvider();
        var settings = new Dictionary<string, string?>
        {
            ["Resilience:AttemptTimeout"] = "00:01:00",
            ["Resilience:TotalTimeout"] = "00:00:30",
        };
        await using var caller = new Caller(settings, time, [_backend]);
        var open = new TaskCompletionSource<int>();
        _backend.Answer = () => open.Task;

        var call = caller.CallAsync();
        await Eventually.TrueAsync(() => _backend.Running == 1);
        time.Advance(TimeSpan.FromSeconds(59));
        open.SetResult(200);

        using var response = await call;
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    [Fact]
    public async Task Concurrency_and_queue_limits_apply()
    {
        await using var caller = new Caller(
            new() { ["Resilience:ConcurrencyLimit"] = "2", ["Resilience:ConcurrencyQueue"] = "3" },
            TimeProvider.System,
            [_backend]
        );
        var open = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        _backend.Answer = () => open.Task;

        var calls = Enumerable.Range(0, 7).Select(_ => caller.CallAsync()).ToList();
        await Eventually.TrueAsync(() => _backend.Running == 2 && calls.Count(call => call.IsFaulted) == 2);
        open.SetResult(200);

        var refused = await Assert.ThrowsAsync<HttpRequestException>(() => calls.First(call => call.IsFaulted));
        Assert.Contains("Resilience:ConcurrencyLimit", refused.Message, StringComparison.Ordinal);
        foreach (var call in calls.Where(call => !call.IsFaulted))
            Assert.Equal(HttpStatusCode.OK, (await call).StatusCode);
        Assert.Equal(2, _backend.MostRunning);
        Assert.Equal(5, _backend.Calls);
    }

    [Fact]
    public async Task Circuit_opens_probes_once_and_closes_after_a_success()
    {
        var time = new ManualTimeProvider();
        await using var caller = new Caller(Breaker(), time, [_backend]);
        using var metrics = new RecordedMetrics(caller.Meters);
        _backend.Answer = () => Task.FromResult(500);
        await caller.CallAsync(3);
        metrics.Observe();
        await caller.CallAsync(1);
        metrics.Observe();

        var refused = await Assert.ThrowsAsync<HttpRequestException>(caller.CallAsync);
        Assert.Contains("Resilience:BreakerFailureRatio", refused.Message, StringComparison.Ordinal);
        time.Advance(TimeSpan.FromSeconds(29));
        await Assert.ThrowsAsync<HttpRequestException>(caller.CallAsync);
        Assert.Equal(4, _backend.Calls);

        var answer = new TaskCompletionSource<int>();
        _backend.Answer = () => answer.Task;
        time.Advance(TimeSpan.FromSeconds(2));
        using var patience = new CancellationTokenSource();
        var givenUp = caller.Http.GetAsync(new Uri("anything", UriKind.Relative), patience.Token);
        await Eventually.TrueAsync(() => _backend.Calls == 5);
        await patience.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => givenUp);
        await Assert.ThrowsAsync<HttpRequestException>(caller.CallAsync);
        time.Advance(TimeSpan.FromSeconds(31));
        var call = caller.CallAsync();
        await Eventually.TrueAsync(() => _backend.Calls == 6);
        metrics.Observe();
        answer.SetResult(200);
        Assert.Equal(HttpStatusCode.OK, (await call).StatusCode);
        metrics.Observe();
        Assert.Equal(HttpStatusCode.OK, (await caller.CallAsync()).StatusCode);

        // Closed, open, half-open, closed.
        Assert.Equal([0, 2, 1, 0], metrics.ValuesOf("drone_delivery.circuit.state"));
        Assert.All(metrics.Of("drone_delivery.circuit.state"), tags =>
            Assert.Equal("drone_delivery.target=backend", tags)
        );
    }

    [Fact]
    public async Task Retries_do_not_bypass_an_open_circuit()
    {
        var time = new ManualTimeProvider();
        // The clock advances while attempts are in progress.
        var settings = Breaker().And("Resilience:RetryJitter", "0").And("Resilience:AttemptTimeout", "01:00:00");
        foreach (var (index, seconds) in new[] { 1, 31, 59 }.Index())
            settings[$"Resilience:RetryDelays:{index}"] = $"00:00:{seconds}";
        await using var caller = new Caller(settings, time, [_backend]);
        _backend.Answer = () => Task.FromResult(500);

        var calls = Enumerable.Range(0, 4 * 4).Select(_ => caller.CallAsync()).ToList();
        await Eventually.TrueAsync(() => caller.Logs.With("opened for").Any());
        time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(16, _backend.Calls);
        _backend.Answer = () => Task.FromResult(200);
        await Eventually.TrueAsync(() =>
        {
            time.Advance(TimeSpan.FromSeconds(1));
            return calls.TrueForAll(call => call.IsCompleted);
        });

        Assert.All(await Task.WhenAll(calls), answer => Assert.Equal(HttpStatusCode.OK, answer.StatusCode));
        Assert.Equal(16 + 16, _backend.Calls);
    }

    [Theory]
    [InlineData("0.5", 4, 1, 0)] // Fewer calls than the minimum throughput until they have ended.
    [InlineData("0.5", 30, 3, 0)] // Fewer failures than the ratio.
    [InlineData("0.5", 12, 1, 5)] // At most 3 within the sampling duration.
    [InlineData("0", 20, 1, 0)] // There is no circuit breaker.
    public async Task Circuit_stays_closed(string ratio, int calls, int failsOneOf, int secondsApart)
    {
        var time = new ManualTimeProvider();
        await using var caller = new Caller(Breaker().And("Resilience:BreakerFailureRatio", ratio), time, [_backend]);
        _backend.Answer = () => Task.FromResult(_backend.Calls % failsOneOf == 0 ? 500 : 200);

        for (var i = 0; i < calls; i++)
        {
            (await caller.CallAsync()).Dispose();
            time.Advance(TimeSpan.FromSeconds(secondsApart));
        }

        Assert.Equal(calls, _backend.Calls);
    }

    [Fact]
    public async Task Call_counts_once_for_the_circuit_with_all_of_its_attempts()
    {
        var settings = Breaker();
        settings["Resilience:RetryDelays:0"] = "00:00:00";
        settings["Resilience:RetryDelays:1"] = "00:00:00";
        await using var caller = new Caller(settings, new ManualTimeProvider(), [_backend]);
        _backend.Answer = () => Task.FromResult(500);

        await caller.CallAsync(4);

        Assert.Equal(4 * 3, _backend.Calls);
        await Assert.ThrowsAsync<HttpRequestException>(caller.CallAsync);
        Assert.Equal(4 * 3, _backend.Calls);
    }

    [Fact]
    public async Task Attempt_ended_by_the_total_timeout_counts_as_a_failure()
    {
        var time = new ManualTimeProvider();
        var settings = Breaker()
            .And("Resilience:BreakerFailureRatio", "0.75")
            .And("Resilience:RetryDelays:0", "00:00:00")
            .And("Resilience:AttemptTimeout", "00:00:02")
            .And("Resilience:TotalTimeout", "00:00:03");
        await using var caller = new Caller(settings, time, [_backend]);
        var never = new TaskCompletionSource<int>();
        _backend.Answer = () => never.Task;

        var calls = Enumerable.Range(0, 4).Select(_ => caller.CallAsync()).ToList();
        await Eventually.TrueAsync(() => _backend.Calls == 4);
        time.Advance(TimeSpan.FromSeconds(2));
        await Eventually.TrueAsync(() => _backend.Calls == 8);
        time.Advance(TimeSpan.FromSeconds(1));
        foreach (var call in calls)
            await Assert.ThrowsAsync<HttpRequestException>(() => call);

        await Assert.ThrowsAsync<HttpRequestException>(caller.CallAsync);
        Assert.Equal(8, _backend.Calls);
        never.SetResult(200);
    }

    [Fact]
    public async Task Canceled_calls_do_not_open_the_circuit()
    {
        await using var caller = new Caller(Breaker(), new ManualTimeProvider(), [_backend]);
        using var cancellation = new CancellationTokenSource();
        var answer = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        _backend.Answer = () => answer.Task;
        var path = new Uri("anything", UriKind.Relative);

        var calls = Enumerable.Range(0, 8).Select(_ => caller.Http.GetAsync(path, cancellation.Token)).ToList();
        await Eventually.TrueAsync(() => _backend.Calls == 8);
        await cancellation.CancelAsync();
        foreach (var call in calls)
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        answer.SetResult(200);

        using var response = await caller.CallAsync();
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    /// <summary>Opens for 30 s when half of at least 4 calls within 10 s fail.</summary>
    private static Dictionary<string, string?> Breaker() =>
        new()
        {
            ["Resilience:BreakerFailureRatio"] = "0.5",
            ["Resilience:BreakerMinimumThroughput"] = "4",
            ["Resilience:BreakerSamplingDuration"] = "00:00:10",
            ["Resilience:BreakerBreakDuration"] = "00:00:30",
        };
}
