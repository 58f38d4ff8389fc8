using System.Net;
using DroneDelivery.LabAgent;
using DroneDelivery.Testing;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.Services.Tests.LabAgent;

public sealed class EmulatedLatencyTests
{
    private static readonly double LogOf100 = Math.Log(100);

    [Fact]
    public async Task Samples_follow_the_log_normal_distribution()
    {
        var time = new InstantTime(TimeSpan.FromHours(1));
        await using var service = await LabService.StartAsync(time, Latency(LogOf100, 0.5));

        await CallAsync(service, 1_000);

        var milliseconds = time.Waits.Select(wait => wait.TotalMilliseconds).Order().ToList();
        Assert.Equal(1_000, milliseconds.Count);
        Assert.InRange(milliseconds[500], 90, 110);
        Assert.InRange(milliseconds[950], 100 * Math.Exp(1.645 * 0.5) * 0.85, 100 * Math.Exp(1.645 * 0.5) * 1.15);
    }

    [Fact]
    public async Task Same_seed_gives_the_same_samples()
    {
        Assert.Equal(await WaitsAsync(seed: 1), await WaitsAsync(seed: 1));
        Assert.NotEqual(await WaitsAsync(seed: 1), await WaitsAsync(seed: 2));
    }

    [Theory]
    [InlineData(70, 30)]
    [InlineData(101, 0)]
    public async Task Duration_of_the_request_counts_toward_the_sample(int takes, int milliseconds)
    {
        var time = new ManualTimeProvider();
        await using var service = await LabService.StartAsync(time, Latency(LogOf100, 0), work: () =>
            time.Advance(TimeSpan.FromMilliseconds(takes))
        );

        var call = service.Client.SendAsync(HttpMethod.Get, "/api/work");
        await Eventually.TrueAsync(() => service.Worked == 1);
        if (milliseconds > 0)
        {
            var left = TimeSpan.FromMilliseconds(milliseconds);
            await Eventually.TrueAsync(() => time.HasTimerDueIn(left));
            Assert.False(call.IsCompleted);
            time.Advance(left);
        }

        Assert.True((await call).IsSuccessStatusCode);
    }

    [Theory]
    [InlineData("40", 40)]
    [InlineData("100", 100)] // Sent now: no time has passed.
    [InlineData("101", 100)] // The clock of another machine.
    [InlineData("-5", 100)]
    [InlineData("yesterday", 100)]
    public async Task Transit_time_of_the_request_counts_toward_the_sample(string sentAt, double wait)
    {
        var time = new InstantTime(TimeSpan.FromHours(1), start: TimeSpan.FromMilliseconds(100));
        await using var service = await LabService.StartAsync(time, Latency(LogOf100, 0));
        service.Client.DefaultRequestHeaders.Add(
            "Emulation-Sent-At",
            long.TryParse(sentAt, out var at) ? $"{at * TimeSpan.TicksPerMillisecond}" : sentAt
        );

        await CallAsync(service, 1);

        Assert.Equal(wait, time.Waits.Single().TotalMilliseconds);
    }

    [Fact]
    public async Task Caller_sends_the_time_of_each_attempt_only_when_configured()
    {
        var time = new InstantTime(TimeSpan.FromSeconds(2));
        await using var replica = await FakeReplica.StartAsync();
        replica.Answer = () => Task.FromResult(replica.Calls == 1 ? 503 : 200);
        await using var caller = new Caller(
            new() { ["Emulation:TellsWhenSent"] = "true", ["Resilience:RetryDelays:0"] = "00:00:01" },
            time,
            [replica],
            services => services.AddLab()
        );

        (await caller.CallAsync()).Dispose();

        var sent = replica.Header("Emulation-Sent-At").Select(long.Parse).ToArray();
        Assert.Equal(2, sent.Length);
        Assert.Equal(time.Waits.Single().Ticks, sent[1] - sent[0]);
        await using var other = new Caller([], TimeProvider.System, [replica], services => services.AddLab());
        await other.CallAsync(1);
        Assert.Equal("", replica.Header("Emulation-Sent-At").Last());
    }

    [Fact]
    public async Task Transit_time_of_responses_is_subtracted_from_the_next_call()
    {
        var time = new InstantTime(TimeSpan.Zero, start: TimeSpan.FromMilliseconds(100));
        await using var replica = await FakeReplica.StartAsync();
        replica.Headers = headers =>
            headers["Emulation-Answered-At"] = $"{time.GetTimestamp() - 3 * TimeSpan.TicksPerMillisecond}";
        await using var caller = new Caller(new() { ["Emulation:TellsWhenSent"] = "true" }, time, [replica], services =>
            services.AddLab()
        );

        await caller.CallAsync(200);

        var sent = replica
            .Header("Emulation-Sent-At")
            .Select(at => TimeSpan.FromTicks(long.Parse(at)).TotalMilliseconds)
            .ToArray();
        Assert.Equal(100, sent[0]);
        Assert.Equal(97, sent[^1], 0.1);
    }

    [Fact]
    public async Task Response_contains_its_time_only_if_the_request_did()
    {
        var time = new InstantTime(TimeSpan.FromHours(1));
        await using var service = await LabService.StartAsync(time, Latency(LogOf100, 0));

        using var other = await service.Client.SendAsync(HttpMethod.Get, "/api/work");
        service.Client.DefaultRequestHeaders.Add("Emulation-Sent-At", "0");
        using var caller = await service.Client.SendAsync(HttpMethod.Get, "/api/work");

        Assert.False(other.Headers.Contains("Emulation-Answered-At"));
        Assert.Equal([$"{time.GetTimestamp()}"], caller.Headers.GetValues("Emulation-Answered-At"));
    }

    [Theory]
    [InlineData(3, 97)]
    [InlineData(30, 90)] // As machines occasionally do.
    public async Task Late_timers_are_compensated_by_at_most_10_ms(int late, int wait)
    {
        var time = new InstantTime(TimeSpan.FromHours(1), late: TimeSpan.FromMilliseconds(late));
        await using var service = await LabService.StartAsync(time, Latency(LogOf100, 0));

        await CallAsync(service, 200);

        Assert.Equal(100, time.Waits.First().TotalMilliseconds);
        Assert.Equal(wait, time.Waits.Last().TotalMilliseconds);
    }

    [Fact]
    public async Task Errors_are_delayed_and_probes_are_not()
    {
        var time = new InstantTime(TimeSpan.FromHours(1));
        await using var service = await LabService.StartAsync(time, Latency(LogOf100, 0));

        using var notFound = await service.Client.SendAsync(HttpMethod.Get, "/api/nothing");
        using var failed = await service.Client.SendAsync(HttpMethod.Get, "/api/failure");
        using var probe = await service.Client.SendAsync(HttpMethod.Get, "/health/ready");

        Assert.Equal((404, 500, 200), ((int)notFound.StatusCode, (int)failed.StatusCode, (int)probe.StatusCode));
        Assert.Equal([100, 100], time.Waits.Select(wait => Math.Round(wait.TotalMilliseconds)));
    }

    [Fact]
    public async Task Slowness_factor_multiplies_each_sample()
    {
        var time = new InstantTime(TimeSpan.FromHours(1));
        await using var service = await LabService.StartAsync(time, Latency(LogOf100, 0));

        using var slower = await service.Client.SendAsync(HttpMethod.Post, "/$slowness?factor=2.5");
        await CallAsync(service, 1);
        using var nonsense = await service.Client.SendAsync(HttpMethod.Post, "/$slowness?factor=-1");
        await CallAsync(service, 1);
        using var asBefore = await service.Client.SendAsync(HttpMethod.Post, "/$slowness?factor=1");
        await CallAsync(service, 1);

        Assert.Equal((204, 400, 204), ((int)slower.StatusCode, (int)nonsense.StatusCode, (int)asBefore.StatusCode));
        Assert.Equal([250, 250, 100], time.Waits.Select(wait => Math.Round(wait.TotalMilliseconds)));
    }

    [Fact]
    public async Task Error_share_determines_the_share_of_errors()
    {
        await using var service = await LabService.StartAsync(
            new InstantTime(TimeSpan.FromHours(1)),
            Latency(LogOf100, 0)
        );

        using var some = await service.Client.SendAsync(HttpMethod.Post, "/$errors?share=0.3");
        using var nonsense = await service.Client.SendAsync(HttpMethod.Post, "/$errors?share=2");
        var failed = 0;
        for (var i = 0; i < 300; i++)
        {
            using var answer = await service.Client.SendAsync(HttpMethod.Get, "/api/work");
            failed += answer.StatusCode == HttpStatusCode.ServiceUnavailable ? 1 : 0;
        }
        using var none = await service.Client.SendAsync(HttpMethod.Post, "/$errors?share=0");
        using var work = await service.Client.SendAsync(HttpMethod.Get, "/api/work");

        Assert.Equal(
            (204, 400, 204, 200),
            ((int)some.StatusCode, (int)nonsense.StatusCode, (int)none.StatusCode, (int)work.StatusCode)
        );
        Assert.InRange(failed, 60, 120);
    }

    private static async Task<TimeSpan[]> WaitsAsync(int seed)
    {
        var time = new InstantTime(TimeSpan.FromHours(1));
        var settings = Latency(LogOf100, 0.5);
        settings["Emulation:Seed"] = $"{seed}";
        await using var service = await LabService.StartAsync(time, settings);
        await CallAsync(service, 10);
        return [.. time.Waits];
    }

    private static async Task CallAsync(LabService service, int times)
    {
        for (var i = 0; i < times; i++)
            (await service.Client.SendAsync(HttpMethod.Get, "/api/work")).Dispose();
    }

    private static Dictionary<string, string?> Latency(double mu, double sigma) =>
        new()
        {
            ["Emulation:Seed"] = "1",
            ["Emulation:Latency:Mu"] = FormattableString.Invariant($"{mu}"),
            ["Emulation:Latency:Sigma"] = FormattableString.Invariant($"{sigma}"),
        };
}
