using System.Collections.Concurrent;
using System.Net.Http.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Measure;

/// <summary>What the counters said at a moment of the clock of <see cref="IQueueCounts"/>.</summary>
/// <param name="Errors">HTTP 5xx of all services since they started.</param>
/// <param name="OutOfMemory">Those among them for which Redis had no memory left.</param>
internal sealed record Reading(
    DateTimeOffset Time,
    QueueCounters Queue,
    long Errors,
    long OutOfMemory,
    NodeReading? Nodes = null,
    MachineCpuReading? Machine = null,
    CpuTimes? Cpu = null
);

/// <summary>Real CPU time so far of the application with its broker and Redis, and of the lab with its load.</summary>
internal sealed record CpuTimes(TimeSpan Application, TimeSpan Lab);

/// <summary>Reads the queue's counts several times a bin, and the services' every second, until it is disposed.</summary>
/// <param name="services">Base addresses of every replica whose 5xx answers are counted.</param>
/// <param name="readCpu">Reads who used how much of the real machine.</param>
internal sealed class Sampler(
    HttpClient http,
    IQueueCounts counts,
    IReadOnlyList<Uri> services,
    Func<NodeReading?> readNodes,
    Func<CpuTimes?> readCpu,
    TimeProvider clock
) : IAsyncDisposable
{
    private static readonly TimeSpan ErrorsEvery = TimeSpan.FromSeconds(1);
    private readonly List<Reading> _readings = [];
    private readonly Lock _lock = new();

    // Serializes readings: they must be in order of time, and each reading changes state.
    private readonly SemaphoreSlim _turn = new(1, 1);
    private readonly ConcurrentDictionary<Uri, (Responses OfEnded, Responses Last)> _known = new();
    private Repeated? _loop;
    private int _reads;
    private Responses _responses = Responses.None;

    /// <summary>Whether a service that does not answer counts as it did when it last answered.</summary>
    public bool MayBeAway { get; init; }

    public void Start() => _loop = new Repeated(counts.Period, clock, TryReadAsync).Start(now: true);

    public IReadOnlyList<Reading> Readings
    {
        get
        {
            lock (_lock)
                return [.. _readings];
        }
    }

    /// <exception cref="HttpRequestException">Somebody does not answer.</exception>
    public Task<Reading> ReadAsync(CancellationToken cancellationToken) =>
        ReadAsync(includesErrors: true, cancellationToken);

    /// <summary>
    /// The samples of a load that began at <paramref name="start"/>, in seconds since then, counted from <paramref name="baseline"/> on.
    /// </summary>
    public static IReadOnlyList<Sample> Since(
        DateTimeOffset start,
        Reading baseline,
        IReadOnlyList<Reading> readings
    ) =>
        [
            .. readings
                .SkipWhile(reading => reading.Time < baseline.Time)
                .Select(reading => new Sample(
                    (reading.Time - start).TotalSeconds,
                    reading.Queue.Since(baseline.Queue),
                    reading.Errors - baseline.Errors,
                    reading.OutOfMemory - baseline.OutOfMemory
                )
                {
                    NodesBusy = NodesBusy(baseline, reading),
                    MachineBusy = MachineSeconds(baseline, reading, (now, before) => now.Since(before)),
                    MachineStolen = MachineSeconds(baseline, reading, (now, before) => now.StolenSince(before)),
                    MachinePressure = Seconds(reading.Machine?.Pressure - baseline.Machine?.Pressure),
                    Holds = reading.Nodes?.Holds - baseline.Nodes?.Holds ?? double.NaN,
                    LateHolds = reading.Nodes?.LateHolds - baseline.Nodes?.LateHolds ?? double.NaN,
                    ApplicationCpu = Seconds(reading.Cpu?.Application - baseline.Cpu?.Application),
                    LabCpu = Seconds(reading.Cpu?.Lab - baseline.Cpu?.Lab),
                }),
        ];

    private static double[] NodesBusy(Reading baseline, Reading reading) =>
        reading.Nodes is { } nodes && baseline.Nodes is { } before
            ? [.. nodes.Spent.Zip(before.Spent, (now, then) => (now - then).TotalSeconds / nodes.VCpu)]
            : [];

    private static double MachineSeconds(
        Reading baseline,
        Reading reading,
        Func<MachineCpuReading, MachineCpuReading, double> share
    ) =>
        reading.Machine is { } machine && baseline.Machine is { } before
            ? share(machine, before) * (reading.Time - baseline.Time).TotalSeconds
            : double.NaN;

    private static double Seconds(TimeSpan? time) => time?.TotalSeconds ?? double.NaN;

    public async ValueTask DisposeAsync()
    {
        if (_loop is not null)
            await _loop.DisposeAsync();
        _turn.Dispose();
    }

    private async Task TryReadAsync(CancellationToken cancellationToken)
    {
        try
        {
            var includesErrors = _reads++ % (int)(ErrorsEvery / counts.Period) == 0;
            await ReadAsync(includesErrors, cancellationToken);
        }
        catch (Exception exception)
            when (exception is HttpRequestException or OperationCanceledException
                && !cancellationToken.IsCancellationRequested
            )
        {
            // A reading less. Who is gone for good is missed by the last one, or by the process that ran it.
        }
    }

    private async Task<Reading> ReadAsync(bool includesErrors, CancellationToken cancellationToken)
    {
        await _turn.WaitAsync(cancellationToken);
        try
        {
            if (includesErrors)
                _responses = await ReadResponsesAsync(cancellationToken);
            return await ReadQueueAsync(cancellationToken);
        }
        finally
        {
            _turn.Release();
        }
    }

    private async Task<Responses> ReadResponsesAsync(CancellationToken cancellationToken) =>
        Responses.Sum(await Task.WhenAll(services.Select(service => ResponsesOfAsync(service, cancellationToken))));

    private async Task<Reading> ReadQueueAsync(CancellationToken cancellationToken)
    {
        var (time, queue) = await counts.ReadAsync(cancellationToken);
        var reading = new Reading(
            time,
            queue,
            _responses.ServerErrors,
            _responses.OutOfMemory,
            readNodes(),
            MachineCpu.OfThisMachine.Read(),
            readCpu()
        );
        lock (_lock)
            _readings.Add(reading);
        return reading;
    }

    /// <summary>A process that was started anew counts from 0, so what the one before it has counted is added.</summary>
    private async Task<Responses> ResponsesOfAsync(Uri service, CancellationToken cancellationToken)
    {
        var (ended, last) = _known.GetValueOrDefault(service, (Responses.None, Responses.None));
        try
        {
            var now = (await http.GetFromJsonAsync<Responses>(new Uri(service, "$responses"), cancellationToken))!;
            _known[service] = (ended, last) = (now.Process == last.Process ? ended : Responses.Sum([ended, last]), now);
        }
        catch (HttpRequestException) when (MayBeAway) { }
        return Responses.Sum([ended, last]);
    }

    private sealed record Responses(int Process, long ServerErrors, IReadOnlyDictionary<string, long> Causes)
    {
        public static Responses None { get; } = new(0, 0, new Dictionary<string, long>());

        public long OutOfMemory => Causes.GetValueOrDefault(ProblemTypes.RedisOutOfMemory);

        public static Responses Sum(IReadOnlyCollection<Responses> all) =>
            new(
                Process: 0,
                all.Sum(one => one.ServerErrors),
                all.SelectMany(one => one.Causes)
                    .GroupBy(cause => cause.Key)
                    .ToDictionary(cause => cause.Key, cause => cause.Sum(one => one.Value))
            );
    }
}
