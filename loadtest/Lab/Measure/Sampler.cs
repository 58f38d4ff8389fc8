using System.Collections.Concurrent;
using System.Net.Http.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Measure;

/// <summary>The counters at one moment, by the clock of <see cref="IQueueCounts"/>.</summary>
/// <param name="OutOfMemory">The 5xx responses caused by a full Redis.</param>
internal sealed record Reading(
    DateTimeOffset Time,
    QueueCounters Queue,
    long Errors,
    long OutOfMemory,
    NodeReading? Nodes = null,
    MachineCpuReading? Machine = null,
    CpuTimes? Cpu = null
);

/// <summary>The real CPU time of the application with broker and Redis, and of the lab with its load.</summary>
internal sealed record CpuTimes(TimeSpan Application, TimeSpan Lab);

/// <summary>Reads the queue's counters several times per interval, and the services' every second.</summary>
/// <param name="services">The replicas whose 5xx responses are counted.</param>
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

    // Serializes readings, which change state and must be in chronological order.
    private readonly SemaphoreSlim _turn = new(1, 1);
    private readonly ConcurrentDictionary<Uri, (Responses OfEnded, Responses Last)> _known = new();
    private PeriodicAction? _loop;
    private int _reads;
    private Responses _responses = Responses.None;

    /// <summary>Whether a service that doesn't respond keeps its last counts.</summary>
    public bool ToleratesOutages { get; init; }

    public void Start() => _loop = new PeriodicAction(counts.Period, clock, TryReadAsync).Start(now: true);

    public IReadOnlyList<Reading> Readings
    {
        get
        {
            lock (_lock)
                return [.. _readings];
        }
    }

    public Task<Reading> ReadAsync(CancellationToken cancellationToken) =>
        ReadAsync(includesErrors: true, cancellationToken);

    /// <summary>Returns the samples in seconds since <paramref name="start"/>, relative to <paramref name="baseline"/>.</summary>
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
            // Skip this reading. If the failure is permanent, the process's owner reports it.
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

    /// <summary>Returns the counts of a service. Adds those of exited processes, because a restarted one counts from 0.</summary>
    private async Task<Responses> ResponsesOfAsync(Uri service, CancellationToken cancellationToken)
    {
        var (ended, last) = _known.GetValueOrDefault(service, (Responses.None, Responses.None));
        try
        {
            var now = (await http.GetFromJsonAsync<Responses>(new Uri(service, "$responses"), cancellationToken))!;
            _known[service] = (ended, last) = (now.Process == last.Process ? ended : Responses.Sum([ended, last]), now);
        }
        catch (HttpRequestException) when (ToleratesOutages) { }
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
