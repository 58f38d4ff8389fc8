using System.Net;
using DroneDelivery.ServiceDefaults.Resilience;
using DroneDelivery.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>What a service that is away sees of its callers. The clock runs on while the circuit changes, so counts are ranges.</summary>
public sealed class OutageTests : IDisposable
{
    private readonly ManualTimeProvider _time = new();
    private readonly Backend _backend = new();
    private CalledService? _service;
    private HttpMessageInvoker? _caller;
    private int _succeeded, _answered, _refused;

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(10)]
    [InlineData(19)]
    [InlineData(100)]
    public async Task Any_number_of_handlers_sends_a_service_that_is_away_a_few_probes_a_second(int handlers)
    {
        await RunAsync(new(), handlers, TimeSpan.FromSeconds(40));

        Assert.InRange(_backend.Calls, 5, handlers + 40 * 2);
        Assert.Equal(handlers >= 10, _refused > 0);
        Assert.Equal(0, _succeeded);
    }

    [Fact]
    public async Task The_published_settings_of_the_stages_never_open_the_circuit_for_one_handler()
    {
        await RunAsync(Published, handlers: 1, TimeSpan.FromSeconds(80));

        Assert.Equal((10, 0), (_answered, _refused)); // of 8 s each
        Assert.Equal(4 * 10, _backend.Calls);
    }

    [Fact]
    public async Task A_repetition_is_the_probe_where_no_new_call_begins()
    {
        var options = new ResilienceOptions { RetryDelays = [TimeSpan.FromSeconds(6)], RetryJitter = 0, BreakerMinimumThroughput = 2 };
        _backend.AwayUntil(_time, TimeSpan.FromSeconds(5));

        await RunAsync(options, handlers: 2, TimeSpan.FromSeconds(1), pause: TimeSpan.FromSeconds(1));

        Assert.InRange(_succeeded, 1, 2); // the other one may meet the circuit while it is being probed
        Assert.Equal(2, _backend.FailedCalls);
    }

    [Fact]
    public async Task While_the_circuit_is_open_repetitions_do_not_reach_the_service()
    {
        var options = new ResilienceOptions
        {
            RetryDelays = [.. Enumerable.Repeat(TimeSpan.FromSeconds(1), 20)],
            RetryJitter = 0,
            BreakerMinimumThroughput = 2,
            BreakerBreakDuration = TimeSpan.FromSeconds(10.5),
        };

        var begin = _time.GetUtcNow();
        await RunAsync(options, handlers: 2, TimeSpan.FromSeconds(1));

        // Two calls open the circuit, then it lets one attempt through each 10.5 s. A call lives for 20 s, and longer
        // where its continuation comes later than the clock's next step.
        Assert.InRange(_backend.Calls, 2, 2 + (int)((_time.GetUtcNow() - begin) / options.BreakerBreakDuration));
    }

    /// <summary>The knobs of every stage.</summary>
    private static ResilienceOptions Published => new()
    {
        RetryDelays = [TimeSpan.Zero, TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(6)],
        RetryJitter = 0,
        BreakerFailureRatio = 0.75,
        BreakerMinimumThroughput = 2,
        BreakerSamplingDuration = TimeSpan.FromSeconds(5),
        BreakerBreakDuration = TimeSpan.FromSeconds(5),
    };

    private async Task RunAsync(ResilienceOptions options, int handlers, TimeSpan duration, TimeSpan pause = default)
    {
        options.Randomizer = new Random(1).NextDouble;
        _service = new("backend", _backend, _time);
        _caller = new(new ResilienceHandler(_service, options, _time, NullLogger<ResilienceHandler>.Instance, _backend));
        var end = _time.GetUtcNow() + duration;
        // Where no test's context makes it wait for another thread, what follows a timer runs inside of Advance, before the next step.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        var all = Enumerable.Range(0, handlers).Select(_ => HandleAsync(_caller, end, pause)).ToList();
        while (!all.TrueForAll(handler => handler.IsCompleted))
        {
            _time.Advance(TimeSpan.FromSeconds(0.05));
            await Task.Yield();
        }
        await Task.WhenAll(all);
    }

    private async Task HandleAsync(HttpMessageInvoker caller, DateTimeOffset end, TimeSpan pause)
    {
        while (_time.GetUtcNow() < end)
        {
            try
            {
                using var request = new HttpRequestMessage(HttpMethod.Get, "http://backend/");
                using var response = await caller.SendAsync(request, TestContext.Current.CancellationToken).ConfigureAwait(false);
                Interlocked.Increment(ref response.IsSuccessStatusCode ? ref _succeeded : ref _answered);
            }
            catch (HttpRequestException)
            {
                Interlocked.Increment(ref _refused);
            }
            if (pause > TimeSpan.Zero)
                await Task.Delay(pause, _time, TestContext.Current.CancellationToken).ConfigureAwait(false);
        }
    }

    public void Dispose()
    {
        _caller?.Dispose();
        _service?.Dispose();
        _backend.Dispose();
    }

    private sealed class Backend : HttpMessageHandler
    {
        private Func<bool> _isAway = () => true;

        public int Calls { get; private set; }

        public int FailedCalls { get; private set; }

        public void AwayUntil(ManualTimeProvider time, TimeSpan after)
        {
            var back = time.GetUtcNow() + after;
            _isAway = () => time.GetUtcNow() < back;
        }

        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            var isAway = _isAway();
            Calls++;
            FailedCalls += isAway ? 1 : 0;
            return Task.FromResult(new HttpResponseMessage(isAway ? HttpStatusCode.ServiceUnavailable : HttpStatusCode.OK));
        }
    }
}
