using System.Net.Http.Json;
using System.Text.Json;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;
using StackExchange.Redis;

namespace DroneDelivery.Lab.Measure;

/// <summary>
/// Puts into the run what no service sends, once a second: the broker's counters, Redis' memory, the CPU of nodes and machine. It also
/// marks where a stage begins and ends, with a sample at either end, so that what was counted between them belongs to the stage and nothing
/// is left out.
/// </summary>
internal sealed class RunSampler(
    TelemetryCollector collector,
    Uri broker,
    ConnectionMultiplexer? redis,
    VirtualNodes? nodes,
    TimeProvider clock,
    Action<string> notice,
    TimeSpan patience
) : IAsyncDisposable
{
    private static readonly TimeSpan Period = TimeSpan.FromSeconds(1),
        Patience = TimeSpan.FromSeconds(5),
        CloseTakes = TimeSpan.FromSeconds(2);

    private readonly HttpClient _http = Loopback.CreateClient();
    private readonly SampleGaps _gaps = new(notice, clock);
    private CpuReading? _last;
    private Repeated? _loop;

    /// <param name="redis">Host and port. One connection stays open. Null: somewhere else; only the broker is sampled.</param>
    /// <param name="notice">Told, in a sentence, of a gap in the samples and of its end.</param>
    public static async Task<RunSampler> StartAsync(
        TelemetryCollector collector,
        Uri broker,
        string? redis,
        VirtualNodes? nodes,
        TimeProvider clock,
        Action<string> notice,
        TimeSpan? patience = null
    )
    {
        var connection = redis is null ? null : await RedisServer.OpenAsync(redis);
        var sampler = new RunSampler(collector, broker, connection, nodes, clock, notice, patience ?? Patience);
        sampler._http.Timeout = patience ?? Patience;
        sampler._loop = new Repeated(Period, clock, sampler.SampleAllAsync).Start();
        return sampler;
    }

    /// <summary>Where a stage begins: nothing that it sends has been sent, and nothing of what was before is under way.</summary>
    public async Task<DateTimeOffset> BeginStageAsync(CancellationToken cancellationToken)
    {
        var start = clock.GetUtcNow();
        await SampleAsync(cancellationToken);
        return start;
    }

    /// <summary>
    /// Where it ends: no Workflow runs any more. Waits for the telemetry that is still on its way, at most 10 s; were there more, the
    /// differences in the answer of conservation.kql would tell.
    /// </summary>
    /// <returns>Its times, which are in the run's table <c>stages</c> from now on.</returns>
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

    /// <summary>Each by itself: who does not answer leaves a gap in the own series only.</summary>
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
        var memory = RedisStatus.Of(await redis.GetServers()[0].InfoAsync().WaitAsync(patience, cancellationToken));
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
        /// <summary>Replica → CPU time of its node that it has taken.</summary>
        public required IReadOnlyDictionary<string, TimeSpan> Replicas { get; init; }
    }
}
