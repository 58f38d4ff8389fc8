using System.Net;
using DroneDelivery.Testing;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>Every option of the section <c>Resilience</c>, seen from the called service.</summary>
public sealed class ResilienceTests : IAsyncLifetime
{
    private FakeReplica _backend = null!;

    public async ValueTask InitializeAsync() => _backend = await FakeReplica.StartAsync();

    public ValueTask DisposeAsync() => _backend.DisposeAsync();

    [Theory]
    [InlineData(false)]
    [InlineData(false, 1.0, 5.0)]
    [InlineData(true, 0.2, 2.0, 6.0)]
    public async Task A_failed_call_is_repeated_after_each_delay(bool isDefault, params double[] waits)
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
    public async Task By_default_not_even_the_first_repetition_comes_at_once_and_they_spread()
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
    [InlineData(302, 1)] // nor is it followed
    [InlineData(400, 1)]
    [InlineData(404, 1)]
    [InlineData(409, 1)]
    [InlineData(422, 1)]
    public async Task An_answer_that_may_be_another_one_later_is_repeated_and_a_refusal_is_not(int status, int calls)
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
    [InlineData(null, "Mon, 31 Dec 2029 00:00:00 GMT", 0.2)] // over already
    [InlineData("00:00:01", "4", 1.0)] // delays that are set are what happens
    [InlineData(null, "31", null)] // it would outlast the total timeout
    public async Task Retry_follows_Retry_After_with_the_default_delays(string? delay, string retryAfter, double? wait)
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
    public async Task A_call_ends_with_its_total_time_out_whatever_it_is_doing()
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
    public async Task The_wait_for_a_place_counts_towards_the_total_time_out()
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
    public async Task A_caller_that_gives_up_is_told_so_and_nothing_is_repeated()
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
    public async Task A_body_that_stalls_is_given_up_like_an_answer_that_does_not_come()
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
    public async Task An_attempt_may_take_longer_than_the_total_time_out_would_be_by_default()
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
    public async Task No_more_calls_than_the_limit_run_and_no_more_than_the_queue_wait()
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
    public async Task The_circuit_opens_after_failures_lets_one_call_through_and_closes_only_when_that_succeeds()
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

        Assert.Equal([0, 2, 1, 0], metrics.ValuesOf("drone_delivery.circuit.state")); // closed, open, half-open
        Assert.All(metrics.Of("drone_delivery.circuit.state"), tags =>
            Assert.Equal("drone_delivery.target=backend", tags)
        );
    }

    [Fact]
    public async Task Repetitions_do_not_pass_an_open_circuit_and_the_first_after_its_break_closes_it_for_all()
    {
        var time = new ManualTimeProvider();
        // The clock goes on while attempts are under way.
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
    [InlineData("0.5", 4, 1, 0)] // fewer calls than the minimum throughput, until they have ended
    [InlineData("0.5", 30, 3, 0)] // failures below the ratio
    [InlineData("0.5", 12, 1, 5)] // at most 3 in the sampling duration
    [InlineData("0", 20, 1, 0)] // no circuit breaker
    public async Task A_circuit_stays_closed(string ratio, int calls, int failsOneOf, int secondsApart)
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
    public async Task A_call_counts_for_the_circuit_with_all_of_its_attempts()
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
    public async Task An_attempt_that_the_total_timeout_ends_counts_as_a_failure()
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
    public async Task Calls_that_their_callers_cancel_do_not_open_the_circuit()
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

    /// <summary>Opens when half of at least 4 calls within 10 s fail, for 30 s.</summary>
    private static Dictionary<string, string?> Breaker() =>
        new()
        {
            ["Resilience:BreakerFailureRatio"] = "0.5",
            ["Resilience:BreakerMinimumThroughput"] = "4",
            ["Resilience:BreakerSamplingDuration"] = "00:00:10",
            ["Resilience:BreakerBreakDuration"] = "00:00:30",
        };
}
