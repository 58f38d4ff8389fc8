using System.Net;
using DroneDelivery.Testing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Http;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>What a service that is away sees of its callers. The clock runs on while the circuit changes, so counts are ranges.</summary>
public sealed class OutageTests : IDisposable
{
    private readonly ManualTimeProvider _time = new();
    private readonly Backend _backend = new();
    private int _succeeded, _refused;

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(10)]
    [InlineData(19)]
    [InlineData(100)]
    public async Task Any_number_of_handlers_sends_a_service_that_is_away_a_few_probes_a_second(int handlers)
    {
        await RunAsync(new() { ["Resilience:RetryDelays"] = null }, handlers, TimeSpan.FromSeconds(40));

        Assert.InRange(_backend.Calls, 5, handlers + 40 * 2);
        Assert.Equal(handlers >= 10, _refused > 0);
        Assert.Equal(0, _succeeded);
    }

    [Fact]
    public async Task A_repetition_is_the_probe_where_no_new_call_begins()
    {
        var options = new Dictionary<string, string?>
        {
            ["Resilience:RetryDelays:0"] = "00:00:06",
            ["Resilience:RetryJitter"] = "0",
            ["Resilience:BreakerMinimumThroughput"] = "2",
        };
        _backend.AwayUntil(_time, TimeSpan.FromSeconds(5));

        await RunAsync(options, handlers: 4, TimeSpan.FromSeconds(1), clockStandsUntil: "is open for");

        Assert.InRange(_succeeded, 1, 4); // the others may meet the circuit while it is being probed
        Assert.Equal(4, _backend.FailedCalls);
    }

    [Fact]
    public async Task While_the_circuit_is_open_repetitions_do_not_reach_the_service()
    {
        var options = new Dictionary<string, string?>
        {
            ["Resilience:RetryJitter"] = "0",
            ["Resilience:BreakerMinimumThroughput"] = "2",
            ["Resilience:BreakerBreakDuration"] = "00:00:10.5",
        };
        for (var i = 0; i < 20; i++)
            options[$"Resilience:RetryDelays:{i}"] = "00:00:01";

        var begin = _time.GetUtcNow();
        await RunAsync(options, handlers: 60, TimeSpan.FromSeconds(1));

        // 2 calls of 21 attempts open the circuit, then it lets one attempt through each 10.5 s. A call lives for 20 s, and longer where
        // its continuation comes later than the clock's next step.
        Assert.InRange(_backend.Calls, 42, 60 + (int)((_time.GetUtcNow() - begin) / TimeSpan.FromSeconds(10.5)));
    }

    /// <param name="clockStandsUntil">A line of the log; null: it runs at once, whatever the calls have done by then.</param>
    private async Task RunAsync(
        Dictionary<string, string?> options, int handlers, TimeSpan duration, string? clockStandsUntil = null)
    {
        await using var caller = new Caller(
            options.And("Resilience:TotalTimeout", "00:00:30"),
            _time,
            services => services.AddSingleton<IHttpMessageHandlerBuilderFilter>(_backend));
        var http = caller.Http;
        var end = _time.GetUtcNow() + duration;
        // Where no test's context makes it wait for another thread, what follows a timer runs inside of Advance, before the next step.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        var all = Enumerable.Range(0, handlers).Select(_ => HandleAsync(http, end)).ToList();
        if (clockStandsUntil is not null)
            await Eventually.TrueAsync(() => caller.Logs.Lines.Any(line => line.Contains(clockStandsUntil, StringComparison.Ordinal)));
        while (!all.TrueForAll(handler => handler.IsCompleted))
        {
            _time.Advance(TimeSpan.FromSeconds(0.05));
            await Task.Yield();
        }
        await Task.WhenAll(all);
    }

    private async Task HandleAsync(HttpClient http, DateTimeOffset end)
    {
        while (_time.GetUtcNow() < end)
        {
            try
            {
                using var response = await http.GetAsync(new Uri("/", UriKind.Relative), TestContext.Current.CancellationToken)
                    .ConfigureAwait(false);
                if (response.IsSuccessStatusCode)
                    Interlocked.Increment(ref _succeeded);
            }
            catch (HttpRequestException)
            {
                Interlocked.Increment(ref _refused);
            }
        }
    }

    public void Dispose() => _backend.Dispose();

    private sealed class Backend : HttpMessageHandler, IHttpMessageHandlerBuilderFilter
    {
        private Func<bool> _isAway = () => true;

        public Action<HttpMessageHandlerBuilder> Configure(Action<HttpMessageHandlerBuilder> next) => builder =>
        {
            next(builder);
            builder.PrimaryHandler = this;
        };

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
