using System.Collections.Concurrent;
using DroneDelivery.Telemetry.Query;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Tests.Telemetry;

public sealed class RunSamplerTests
{
    private const string Counters = """
        {"time":"2030-01-01T00:00:00Z","queues":{"delivery-requests":{
         "incoming":1,"outgoing":1,"completed":1,"abandoned":0,"deadLettered":0,"lockLost":0,"expiredLocks":0,"redelivered":0,
         "expired":0,"active":0,"locked":0,"deferred":0,"scheduled":0,"deadLetter":0,
         "links":[{"connection":1,"link":1,"credit":1,"unsettled":0,"maxUnsettled":1}]}}}
        """;

    [Fact]
    public async Task Sampler_recovers_from_a_hung_broker_and_stops_promptly()
    {
        await using var redis = await RedisFixture.StartAsync(Cancel);
        var (hangs, unanswered) = (false, 0);
        await using var broker = LabHost.Create("http://127.0.0.1:0", maxBytes: 1 << 20);
        broker.Run(async context =>
        {
            if (!Volatile.Read(ref hangs))
            {
                await context.Response.WriteAsync(Counters, context.RequestAborted);
                return;
            }

            Interlocked.Increment(ref unanswered);
            await Task.Delay(Timeout.Infinite, context.RequestAborted)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        });
        await broker.StartAsync(Cancel);
        using var folder = new OwnFolder();
        var said = new ConcurrentQueue<string>();
        await using var collector = await TelemetryCollector.StartAsync(folder.Path, 0, TimeProvider.System, Cancel);
        var sampler = await RunSampler.StartAsync(
            collector,
            new Uri(broker.Urls.First()),
            redis.ConnectionString,
            nodes: null,
            TimeProvider.System,
            said.Enqueue,
            TimeSpan.FromMilliseconds(200)
        );
        await UntilAsync(() => Rows(collector, "receiverSamples") > 0);
        Volatile.Write(ref hangs, true);
        // Its earlier responses have been recorded or discarded.
        await UntilAsync(() => Volatile.Read(ref unanswered) > 0);
        await UntilAsync(() => said.Contains("The broker doesn't respond: its samples have a gap from now on."));
        var (ofBroker, ofRedis) = (Rows(collector, "receiverSamples"), Rows(collector, "redisSamples"));
        await UntilAsync(() => Rows(collector, "redisSamples") > ofRedis);
        Assert.Equal(ofBroker, Rows(collector, "receiverSamples"));

        Volatile.Write(ref hangs, false);
        await UntilAsync(() => Rows(collector, "receiverSamples") > ofBroker);
        // On a busy machine, Redis may exceed its 200 ms, too, and is then reported.
        await UntilAsync(() =>
            said.Any(it => it.StartsWith("The broker responds again; its samples lack ", StringComparison.Ordinal))
        );

        await redis.CommandAsync("CLIENT PAUSE 600000 ALL", Cancel);
        await UntilAsync(() => said.Contains("Redis doesn't respond: its samples have a gap from now on."));
        await sampler.DisposeAsync();
    }

    [Fact]
    public async Task Gap_in_samples_is_reported_once_with_its_length()
    {
        var (clock, said) = (new ManualTimeProvider(), new List<string>());
        var gaps = new SampleGaps(said.Add, clock);

        await gaps.SampleAsync("Redis", _ => throw new TimeoutException(), Cancel);
        clock.Advance(TimeSpan.FromSeconds(90));
        await gaps.SampleAsync("Redis", _ => throw new System.Text.Json.JsonException(), Cancel);
        await gaps.SampleAsync("The broker", _ => Task.CompletedTask, Cancel);
        await gaps.SampleAsync("Redis", _ => Task.CompletedTask, Cancel);
        await gaps.SampleAsync("Redis", _ => Task.CompletedTask, Cancel);

        Assert.Equal(
            [
                "Redis doesn't respond: its samples have a gap from now on.",
                "Redis responds again; its samples lack 90 s.",
            ],
            said
        );
    }

    private static long Rows(TelemetryCollector collector, string table) =>
        (long)
            new RunTelemetry(collector.Snapshot()).AskAll(
                KqlQuery.Parse($"{table} | count"),
                DateTimeOffset.MaxValue,
                cancellationToken: Cancel
            )[0, 0]!;
}
