using DroneDelivery.Workflow;
using DroneDelivery.Workflow.Watching;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Services.Tests.Workflow;

public sealed class PrefetchAdviceTests
{
    [Theory]
    [InlineData(60, 20, 23.6, 1_426)] // full length: 1,416 and half of 20 calls
    [InlineData(7.5, 20, 23.6, 187)] // an eighth of it
    [InlineData(300, 20, 23.6, 7_090)]
    public void The_limit_is_that_of_the_stages(double lockSeconds, int calls, double messagesPerSecond, double limit)
    {
        var serviceTime = TimeSpan.FromSeconds(calls / messagesPerSecond);

        Assert.Equal(limit, PrefetchAdvice.Limit(TimeSpan.FromSeconds(lockSeconds), serviceTime, calls), tolerance: 0.5);
    }

    [Fact]
    public void The_warning_shows_its_arithmetic_once_from_what_it_saw()
    {
        using var logs = new RecordedLogs();
        var advice = Advice(logs, new() { MaxConcurrentCalls = 20, PrefetchCount = 375 });

        for (var i = 0; i < 300; i++)
            Pass(advice, lockLeft: TimeSpan.FromSeconds(i == 0 ? 7.5 : 4), took: TimeSpan.FromSeconds(20 / 23.6));

        var warning = Assert.Single(logs.Lines);
        Assert.Contains("PrefetchCount = 375", warning, StringComparison.Ordinal);
        Assert.Contains("P* = L·μr + C/2 = 7.5 s · 23.6/s + 20/2 = 187", warning, StringComparison.Ordinal);
        Assert.Contains("waits 15.5 s", warning, StringComparison.Ordinal);
        Assert.Contains("at most 93", warning, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(187)]
    public void A_prefetch_within_the_limit_gets_no_warning(int prefetch)
    {
        using var logs = new RecordedLogs();
        var advice = Advice(logs, new() { MaxConcurrentCalls = 20, PrefetchCount = prefetch });

        for (var i = 0; i < 300; i++)
            Pass(advice, TimeSpan.FromSeconds(7.5), TimeSpan.FromSeconds(20 / 23.6));

        Assert.Empty(logs.Lines);
    }

    [Fact]
    public void It_warns_again_when_the_limit_falls_below_the_prefetch_again()
    {
        using var logs = new RecordedLogs();
        var advice = Advice(logs, new() { MaxConcurrentCalls = 20, PrefetchCount = 375 });

        foreach (var seconds in new[] { 1.0, 0.1, 1.0 })
        {
            for (var i = 0; i < 100; i++)
                Pass(advice, TimeSpan.FromSeconds(7.5), TimeSpan.FromSeconds(seconds));
        }

        Assert.Equal(2, logs.Lines.Count);
    }

    [Fact]
    public async Task With_lock_and_service_time_as_options_the_warning_comes_at_the_start()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(new()
        {
            ["Workflow:PrefetchCount"] = "3000",
            ["Workflow:LockDuration"] = "00:01:00",
            ["Workflow:ServiceTime"] = "00:00:01",
        });

        Assert.Single(workflow.Host.Logs.Lines, line => line.Contains("= 60 s · 20/s + 20/2 = 1210", StringComparison.Ordinal));
    }

    [Fact]
    public async Task With_the_service_time_as_an_option_the_lock_is_read_from_the_first_message()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Workflow:PrefetchCount"] = "3000", ["Workflow:ServiceTime"] = "00:00:01" },
            queue => queue with { LockDuration = TimeSpan.FromMinutes(1) });

        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));

        await Eventually.TrueAsync(
            () => workflow.Host.Logs.Lines.Any(line => line.Contains("PrefetchCount = 3000 is over", StringComparison.Ordinal)));
    }

    private static void Pass(PrefetchAdvice advice, TimeSpan lockLeft, TimeSpan took)
    {
        advice.Began(lockLeft);
        advice.Ended(took);
    }

    private static PrefetchAdvice Advice(RecordedLogs logs, WorkflowOptions options)
    {
        using var factory = LoggerFactory.Create(logging => logging.AddProvider(logs));
        return new(Options.Create(options), factory.CreateLogger<PrefetchAdvice>());
    }
}
