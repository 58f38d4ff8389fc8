using System.Net;
using DroneDelivery.ServiceDefaults.Resilience;
using DroneDelivery.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>What is known of a service by its failed attempts, and by what it says of itself.</summary>
public sealed class CalledServiceTests : IDisposable
{
    private readonly ManualTimeProvider _time = new();
    private readonly Backend _backend = new();
    private readonly CalledService _service;

    public CalledServiceTests() => _service = new("backend", _backend, _time);

    public void Dispose()
    {
        _service.Dispose();
        _backend.Dispose();
    }

    [Theory]
    [InlineData(200, """{ "status": "Healthy", "checks": {} }""", null)]
    [InlineData(200, """{ "status": "Degraded" }""", "lacks something that it needs")]
    [InlineData(200, "fine", null)]
    [InlineData(200, "[1]", null)]
    [InlineData(404, "", null)]
    [InlineData(500, "", "answers 500")]
    [InlineData(503, """{ "status": "Unhealthy" }""", "answers 503")]
    public async Task Its_own_readiness_says_whether_it_is_away(int status, string body, string? how)
    {
        _backend.Answer = _ => Task.FromResult(new HttpResponseMessage((HttpStatusCode)status) { Content = new StringContent(body) });

        Assert.Equal(how, await _service.AskAsync());
        Assert.Equal("http://backend/health/ready", Assert.Single(_backend.Requests));
    }

    [Fact]
    public async Task A_connection_that_is_refused_means_away()
    {
        _backend.Answer = _ => throw new HttpRequestException("refused");

        Assert.Equal("does not answer", await _service.AskAsync());
    }

    [Fact]
    public async Task An_answer_that_takes_longer_than_two_seconds_means_away()
    {
        _backend.Answer = async cancellationToken =>
        {
            await Task.Delay(Timeout.Infinite, cancellationToken);
            throw new InvalidOperationException();
        };

        var answer = _service.AskAsync();
        _time.Advance(TimeSpan.FromSeconds(1.9));
        Assert.False(answer.IsCompleted);
        _time.Advance(TimeSpan.FromSeconds(0.2));

        Assert.Equal("does not answer", await answer);
    }

    [Fact]
    public async Task However_many_ask_it_is_asked_once_a_second()
    {
        for (var i = 0; i < 50; i++)
        {
            await Task.WhenAll(Enumerable.Range(0, 100).Select(_ => _service.AskAsync()));
            _time.Advance(TimeSpan.FromSeconds(0.1));
        }

        Assert.Equal(5, _backend.Requests.Count);
    }

    [Fact]
    public async Task It_is_in_trouble_from_an_attempt_that_failed_to_one_that_succeeded()
    {
        var failed = 0;
        _service.AttemptFailed += _ => failed++;
        using var caller = Caller(new() { RetryDelays = [], BreakerFailureRatio = 0 });

        _backend.Answer = Status(404);
        await CallAsync(caller);
        Assert.Equal((false, 0), (_service.IsInTrouble, failed));
        _backend.Answer = Status(503);
        await CallAsync(caller);
        await CallAsync(caller);
        Assert.Equal((true, 2), (_service.IsInTrouble, failed));
        _backend.Answer = Status(200);
        await CallAsync(caller);
        Assert.Equal((false, 2), (_service.IsInTrouble, failed));
    }

    [Fact]
    public async Task A_service_that_is_trusted_again_gets_calls_at_once_although_its_circuit_was_open()
    {
        using var caller = Caller(new() { RetryDelays = [], BreakerMinimumThroughput = 2 });
        _backend.Answer = Status(503);
        await CallAsync(caller);
        await CallAsync(caller);
        await Assert.ThrowsAsync<HttpRequestException>(() => CallAsync(caller));
        Assert.Equal("answers 503", await _service.AskAsync());

        await _service.TrustAsync();
        _backend.Answer = Status(200);
        await CallAsync(caller);

        Assert.Equal(4, _backend.Requests.Count);
    }

    [Theory]
    [InlineData(503, "does not serve its calls")]
    [InlineData(500, null)] // may be the fault of those requests
    public async Task One_that_calls_itself_healthy_is_away_while_its_circuit_is_open_because_it_cannot_serve(int status, string? how)
    {
        using var caller = Caller(
            new() { RetryDelays = [], BreakerMinimumThroughput = 2, BreakerBreakDuration = TimeSpan.FromSeconds(5) });
        _backend.Answer = Status(status);
        await CallAsync(caller);
        await CallAsync(caller);

        _backend.Answer = Status(200);
        Assert.Equal(how, await _service.AskAsync());
        _time.Advance(TimeSpan.FromSeconds(4.9));
        Assert.Equal(how, await _service.AskAsync());
        _time.Advance(TimeSpan.FromSeconds(0.2));
        Assert.Null(await _service.AskAsync());

        // Trusted only so far that the circuit lets one call through.
        await _service.TrustAsync();
        _backend.Answer = Status(status);
        await CallAsync(caller);
        await Assert.ThrowsAsync<HttpRequestException>(() => CallAsync(caller));
    }

    [Fact]
    public async Task What_it_said_of_itself_in_one_outage_counts_for_no_other()
    {
        using var caller = Caller(new() { RetryDelays = [], BreakerMinimumThroughput = 2 });
        _backend.Answer = Status(503);
        await CallAsync(caller);
        Assert.Equal("answers 503", await _service.AskAsync());
        _backend.Answer = Status(200);
        await CallAsync(caller); // over, without a pause of anybody
        _time.Advance(TimeSpan.FromSeconds(10));

        _backend.Answer = Status(503);
        await CallAsync(caller);
        await CallAsync(caller);
        _backend.Answer = Status(200);
        Assert.Equal("does not serve its calls", await _service.AskAsync());
        await _service.TrustAsync();

        await Assert.ThrowsAsync<HttpRequestException>(() => CallAsync(caller));
    }

    [Fact]
    public async Task One_that_called_itself_healthy_is_in_doubt_until_a_call_succeeds()
    {
        var recovered = 0;
        _service.Recovered += () => recovered++;
        using var caller = Caller(new() { RetryDelays = [], BreakerFailureRatio = 0 });
        _backend.Answer = Status(500);
        await CallAsync(caller);
        Assert.False(_service.IsInDoubt); // may be the fault of that request
        _backend.Answer = Status(503);
        await CallAsync(caller);

        _backend.Answer = Status(200);
        Assert.Null(await _service.AskAsync());
        await _service.TrustAsync();
        Assert.Equal((true, 0), (_service.IsInDoubt, recovered));

        await CallAsync(caller);
        await CallAsync(caller);
        Assert.Equal((false, 1), (_service.IsInDoubt, recovered));
    }

    [Theory]
    [InlineData(0.75, 2, "does not serve its calls")]
    [InlineData(0.75, 3, null)]
    [InlineData(0, 2, null)] // no circuit breaker, no judgement by the share of failures
    public async Task One_that_calls_itself_healthy_is_away_if_so_many_different_calls_fail_and_none_succeeds(
        double ratio, int enough, string? how)
    {
        using var caller = Caller(new()
        {
            RetryDelays = [],
            BreakerFailureRatio = ratio,
            BreakerMinimumThroughput = enough,
            BreakerSamplingDuration = TimeSpan.FromSeconds(1),
        });
        _backend.Answer = Status(500);
        foreach (var path in new[] { "order-1", "order-1?attempt=2", "order-2" })
        {
            await CallAsync(caller, path);
            _time.Advance(TimeSpan.FromMinutes(5)); // too seldom to open the circuit
        }
        await CallAsync(caller, "order-1");

        _backend.Answer = Status(200);
        Assert.Equal((how, how is not null), (await _service.AskAsync(), _service.IsInDoubt));
        _time.Advance(CalledService.AskingInterval);
        Assert.Null(await _service.AskAsync()); // a call may try it
        await CallAsync(caller, "order-3");
        _backend.Answer = Status(500);
        await CallAsync(caller, "order-4");

        Assert.False(_service.IsInDoubt);
    }

    [Fact]
    public async Task What_failed_while_it_said_that_it_was_away_is_forgotten_when_it_is_back()
    {
        using var caller = Caller(
            new() { RetryDelays = [], BreakerMinimumThroughput = 2, BreakerSamplingDuration = TimeSpan.FromSeconds(1) });
        _backend.Answer = Status(500);
        await CallAsync(caller, "order-1");
        _time.Advance(TimeSpan.FromSeconds(2));
        await CallAsync(caller, "order-2");
        Assert.Equal("answers 500", await _service.AskAsync());
        await _service.TrustAsync();

        await CallAsync(caller, "order-1");

        Assert.False(_service.IsInDoubt);
    }

    private static Func<CancellationToken, Task<HttpResponseMessage>> Status(int status) =>
        _ => Task.FromResult(new HttpResponseMessage((HttpStatusCode)status));

    private HttpMessageInvoker Caller(ResilienceOptions options) =>
        new(new ResilienceHandler(_service, options, _time, NullLogger<ResilienceHandler>.Instance, _backend), disposeHandler: false);

    private static async Task CallAsync(HttpMessageInvoker caller, string path = "")
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, $"http://backend/{path}");
        using var response = await caller.SendAsync(request, TestContext.Current.CancellationToken);
    }

    private sealed class Backend : HttpMessageHandler
    {
        public Func<CancellationToken, Task<HttpResponseMessage>> Answer { get; set; } = Status(200);

        public List<string> Requests { get; } = [];

        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            Requests.Add($"{request.RequestUri}");
            return Answer(cancellationToken);
        }
    }
}
