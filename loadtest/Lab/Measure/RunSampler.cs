using System.Net.Http.Json;
using System.Text.Json;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;
using StackExchange.Redis;

namespace DroneDelivery.Lab.Measure;

/// <summary>
/// Samples what no service sends, once per second and at the start and end of each stage: the broker's counters, Redis memory, CPU of nodes
/// and machine.
/// </summary>
internal sealed class RunSampler(
    TelemetryCollector collector,
    Uri broker,
    ConnectionMultiplexer? redis,
    VirtualNodes? nodes,
    TimeProvider clock,
    Action<string> notice,
    TimeSpan timeout
) : IAsyncDisposable
{
    private static readonly TimeSpan Period = TimeSpan.FromSeconds(1),
        MaxWait = TimeSpan.FromSeconds(5),
        CloseTakes = TimeSpan.FromSeconds(2);

    private readonly HttpClient _http = Loopback.CreateClient();
    private readonly SampleGaps _gaps = new(notice, clock);
    private CpuReading? _last;
    private PeriodicAction? _loop;

    /// <param name="redis">Host and port; <c>null</c> if only the broker can be sampled.</param>
    public static async Task<RunSampler> StartAsync(
        TelemetryCollector collector,
        Uri broker,
        string? redis,
        VirtualNodes? nodes,
        TimeProvider clock,
        Action<string> notice,
        TimeSpan? timeout = null
    )
    {
        var connection = redis is null ? null : await RedisServer.OpenAsync(redis);
        var sampler = new RunSampler(collector, broker, connection, nodes, clock, notice, timeout ?? MaxWait);
        sampler._http.Timeout = timeout ?? MaxWait;
        sampler._loop = new PeriodicAction(Period, clock, sampler.SampleAllAsync).Start();
        return sampler;
    }

    public async Task<DateTimeOffset> BeginStageAsync(CancellationToken cancellationToken)
    {
        var start = clock.GetUtcNow();
        await SampleAsync(cancellationToken);
        return start;
    }

    /// <summary>
    /// Ends a stage after every Workflow has stopped. Waits up to 10 s for pending telemetry; conservation.kql would show missing items.
    /// </summary>
    public async Task<StageTimes> EndStageAsync(string stage, DateTimeOffset start, CancellationToken cancellationToken)
    {
        await collector.SettleAsync(cancellationToken);
        await SampleAsync(cancellationToken);
        var times = new StageTimes(stage, start, clock.GetUtcNow());
        collector.Samples.Stage(times);
        return times;
    }

    public async ValueTask DisposeAsync()
    {
        if (_loop is not null)
            await _loop.DisposeAsync();
        _http.Dispose();
        if (redis is null)
            return;
        await redis
            .CloseAsync(allowCommandsToComplete: false)
            .WaitAsync(CloseTakes)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        redis.Dispose();
    }

    /// <summary>Samples each source independently, so one without a response affects only its own series.</summary>
    private async Task SampleAllAsync(CancellationToken stopping)
    {
        await Task.WhenAll(
            _gaps.SampleAsync("The broker", SampleBrokerAsync, stopping),
            _gaps.SampleAsync("Redis", SampleRedisAsync, stopping)
        );
        SampleCpu();
    }

    private async Task SampleAsync(CancellationToken cancellationToken)
    {
        await SampleBrokerAsync(cancellationToken);
        await SampleRedisAsync(cancellationToken);
        SampleCpu();
    }

    private async Task SampleBrokerAsync(CancellationToken cancellationToken) =>
        collector.Samples.Broker(
            await _http.GetFromJsonAsync<JsonElement>(new Uri(broker, "$counters"), cancellationToken)
        );

    private async Task SampleRedisAsync(CancellationToken cancellationToken)
    {
        if (redis is null)
            return;
        var memory = RedisStatus.Of(await redis.GetServers()[0].InfoAsync().WaitAsync(timeout, cancellationToken));
        collector.Samples.Redis(clock.GetUtcNow(), memory.UsedMemory, memory.MaxMemory, memory.Keys);
    }

    private void SampleCpu()
    {
        if (redis is null)
            return;
        var now = new CpuReading(
            clock.GetUtcNow(),
            MachineCpu.OfThisMachine.Read(),
            nodes?.Read(),
            Environment.CpuUsage.TotalTime
        )
        {
            Replicas = nodes?.ReadReplicas() ?? new Dictionary<string, TimeSpan>(),
        };
        var last = Interlocked.Exchange(ref _last, now);
        if (last is null || now.Time <= last.Time)
            return;
        if (now.Machine is { } machine && last.Machine is { } earlier)
        {
            collector.Samples.Machine(
                now.Time,
                100 * machine.Since(earlier),
                100 * (now.Lab - last.Lab) / (now.Time - last.Time) / Environment.ProcessorCount
            );
        }
        if (now.Nodes is { } placed && last.Nodes is { } before)
        {
            foreach (var (node, busy) in placed.Since(before).Index())
                collector.Samples.Node(now.Time, $"node-{node}", 100 * busy);
        }
        foreach (var (replica, spent) in now.Replicas)
        {
            var since = spent - last.Replicas.GetValueOrDefault(replica);
            collector.Samples.Replica(now.Time, replica, 100 * since / (now.Time - last.Time));
        }
    }

    private sealed record CpuReading(DateTimeOffset Time, MachineCpuReading? Machine, NodeReading? Nodes, TimeSpan Lab)
    {
        /// <summary>The CPU time that each replica has used of its node.</summary>
        public required IReadOnlyDictionary<string, TimeSpan> Replicas { get; init; }
    }
}
