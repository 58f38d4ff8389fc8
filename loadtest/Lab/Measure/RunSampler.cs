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
internal sealed class RunSampler : IAsyncDisposable
{
    private static readonly TimeSpan
        Period = TimeSpan.FromSeconds(1), Patience = TimeSpan.FromSeconds(5), CloseTakes = TimeSpan.FromSeconds(2);

    private readonly HttpClient _http = Loopback.CreateClient();
    private readonly SampleGaps _gaps;
    private readonly TimeSpan _patience;
    private readonly TelemetryCollector _collector;
    private readonly Uri _broker;
    private readonly ConnectionMultiplexer? _redis;
    private readonly TimeProvider _clock;
    private readonly VirtualNodes? _nodes;
    private CpuReading? _last;
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _loop;

    private RunSampler(
        TelemetryCollector collector,
        Uri broker,
        ConnectionMultiplexer? redis,
        VirtualNodes? nodes,
        TimeProvider clock,
        Action<string> notice,
        TimeSpan patience)
    {
        _http.Timeout = _patience = patience;
        _gaps = new(notice, clock);
        (_collector, _broker, _redis, _nodes, _clock) = (collector, broker, redis, nodes, clock);
        _loop = LoopAsync(_stop.Token);
    }

    /// <param name="collector">Where samples go.</param>
    /// <param name="broker">Base address.</param>
    /// <param name="redis">Host and port. One connection stays open. Null: somewhere else; only the broker is sampled.</param>
    /// <param name="nodes">Null: none are emulated.</param>
    /// <param name="clock">Paces the samples.</param>
    /// <param name="notice">Told, in a sentence, of a gap in the samples and of its end.</param>
    /// <param name="patience">With an answer; null: 5 s.</param>
    public static async Task<RunSampler> StartAsync(
        TelemetryCollector collector,
        Uri broker,
        string? redis,
        VirtualNodes? nodes,
        TimeProvider clock,
        Action<string> notice,
        TimeSpan? patience = null)
    {
        var connection = redis is null ? null : await RedisServer.OpenAsync(redis);
        return new(collector, broker, connection, nodes, clock, notice, patience ?? Patience);
    }

    /// <summary>Where a stage begins: nothing that it sends has been sent, and nothing of what was before is under way.</summary>
    public async Task<DateTimeOffset> BeginStageAsync(CancellationToken cancellationToken)
    {
        var start = _clock.GetUtcNow();
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
        await _collector.SettleAsync(cancellationToken);
        await SampleAsync(cancellationToken);
        var times = new StageTimes(stage, start, _clock.GetUtcNow());
        _collector.Samples.Stage(times);
        return times;
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _loop;
        _stop.Dispose();
        _http.Dispose();
        if (_redis is null)
            return;
        await _redis.CloseAsync(allowCommandsToComplete: false)
            .WaitAsync(CloseTakes)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _redis.Dispose();
    }

    private async Task LoopAsync(CancellationToken stopping)
    {
        using var timer = new PeriodicTimer(Period, _clock);
        try
        {
            while (await timer.WaitForNextTickAsync(stopping))
            {
                // Each by itself: who does not answer leaves a gap in the own series only.
                await Task.WhenAll(
                    _gaps.SampleAsync("The broker", SampleBrokerAsync, stopping),
                    _gaps.SampleAsync("Redis", SampleRedisAsync, stopping));
                SampleCpu();
            }
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested)
        {
        }
    }

    private async Task SampleAsync(CancellationToken cancellationToken)
    {
        await SampleBrokerAsync(cancellationToken);
        await SampleRedisAsync(cancellationToken);
        SampleCpu();
    }

    private async Task SampleBrokerAsync(CancellationToken cancellationToken) =>
        _collector.Samples.Broker(await _http.GetFromJsonAsync<JsonElement>(new Uri(_broker, "$counters"), cancellationToken));

    private async Task SampleRedisAsync(CancellationToken cancellationToken)
    {
        if (_redis is null)
            return;
        var redis = RedisStatus.Of(await _redis.GetServers()[0].InfoAsync().WaitAsync(_patience, cancellationToken));
        _collector.Samples.Redis(_clock.GetUtcNow(), redis.UsedMemory, redis.MaxMemory, redis.Keys);
    }

    private void SampleCpu()
    {
        if (_redis is null)
            return;
        var now = new CpuReading(_clock.GetUtcNow(), MachineCpu.OfThisMachine.Read(), _nodes?.Read(), Environment.CpuUsage.TotalTime)
        {
            Replicas = _nodes?.ReadReplicas() ?? new Dictionary<string, TimeSpan>(),
        };
        var last = Interlocked.Exchange(ref _last, now);
        if (last is null || now.Time <= last.Time)
            return;
        if (now.Machine is { } machine && last.Machine is { } earlier)
        {
            _collector.Samples.Machine(
                now.Time,
                100 * machine.Since(earlier),
                100 * (now.Lab - last.Lab) / (now.Time - last.Time) / Environment.ProcessorCount);
        }
        if (now.Nodes is { } nodes && last.Nodes is { } before)
        {
            foreach (var (node, busy) in nodes.Since(before).Index())
                _collector.Samples.Node(now.Time, $"node-{node}", 100 * busy);
        }
        foreach (var (replica, spent) in now.Replicas)
        {
            var since = spent - last.Replicas.GetValueOrDefault(replica);
            _collector.Samples.Replica(now.Time, replica, 100 * since / (now.Time - last.Time));
        }
    }

    private sealed record CpuReading(DateTimeOffset Time, MachineCpuReading? Machine, NodeReading? Nodes, TimeSpan Lab)
    {
        /// <summary>Replica → CPU time of its node that it has taken.</summary>
        public required IReadOnlyDictionary<string, TimeSpan> Replicas { get; init; }
    }
}
