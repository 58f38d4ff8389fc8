using System.Threading.RateLimiting;
using DroneDelivery.Lab.Cluster;

namespace DroneDelivery.Lab.Report;

/// <summary>One process of the application as the page shows it.</summary>
/// <param name="State">ready, not ready, does not answer, running (nobody asks it), stopping, stopped, restarting, ended or gone.</param>
/// <param name="Cpu">Percent of a core since the last look; null at the first.</param>
/// <param name="Memory">Bytes; null: it has ended.</param>
/// <param name="Restarts">How often the lab started it again because it had ended by itself.</param>
/// <param name="LastExit">Exit code with which it did; null: it did not.</param>
/// <param name="Can">stop or start; null: neither.</param>
internal sealed record ProcessRow(
    string Name,
    string State,
    int ProcessId,
    double? Cpu,
    long? Memory,
    int Restarts,
    int? LastExit,
    string? Can
);

/// <summary>The application's processes for the page: all viewers share a look of every few seconds.</summary>
internal sealed class LiveProcesses(Application application, TimeProvider clock) : IDisposable
{
    private static readonly TimeSpan Every = TimeSpan.FromSeconds(1.8);

    /// <summary>CPU time is counted in hundredths of a second: over a shorter time it says nothing.</summary>
    private static readonly TimeSpan Shortest = TimeSpan.FromSeconds(0.5);
    private readonly ConcurrencyLimiter _one = new(new() { PermitLimit = 1, QueueLimit = int.MaxValue });
    private readonly HttpClient _http = Loopback.CreateClient(seconds: 1);
    private Dictionary<int, TimeSpan> _cpu = [];
    private IReadOnlyList<ProcessRow> _rows = [];
    private long _at = long.MinValue;
    private int _changes,
        _seen;

    /// <summary>Null where processes are only shown: they belong to what is being measured, and nobody asks them anything, too.</summary>
    public ReplicaSwitch? Switch { get; init; }

    /// <summary>Of a process that has ended by itself.</summary>
    public Func<string, ProcessHistory?> HistoryOf { get; init; } = _ => null;

    public async Task<IReadOnlyList<ProcessRow>> ReadAsync(CancellationToken cancellationToken)
    {
        using var turn = await _one.AcquireAsync(1, cancellationToken);
        var (now, changes) = (clock.GetTimestamp(), Volatile.Read(ref _changes));
        var passed = _at == long.MinValue ? TimeSpan.MaxValue : clock.GetElapsedTime(_at, now);
        if (passed < Every && changes == _seen)
            return _rows;
        _rows = await LookAsync(passed, cancellationToken);
        (_at, _seen) = (now, changes);
        return _rows;
    }

    private async Task<IReadOnlyList<ProcessRow>> LookAsync(TimeSpan passed, CancellationToken cancellationToken)
    {
        var processes = application.Processes.OrderBy(process => process.Name, StringComparer.Ordinal).ToList();
        var figures = processes
            .Where(process => !process.Ended.IsCompleted)
            .Select(process => (process.Id, Figures: ProcessFigures.Read(process.Id)))
            .Where(it => it.Figures is not null)
            .ToDictionary(it => it.Id, it => it.Figures!);
        var rows = await Task.WhenAll(
            processes.Select(process =>
                RowAsync(process, figures.GetValueOrDefault(process.Id), passed, cancellationToken)
            )
        );
        _cpu = figures.ToDictionary(it => it.Key, it => it.Value.Cpu);
        return rows;
    }

    /// <summary>What the next look shows is new: something was stopped or started.</summary>
    public void Forget() => Interlocked.Increment(ref _changes);

    public async Task<string?> LogAsync(string name, CancellationToken cancellationToken) =>
        application.Processes.FirstOrDefault(process => process.Name == name) is { } process
            ? await LogTail.ReadAsync(process.Log, cancellationToken)
            : null;

    public void Dispose()
    {
        _http.Dispose();
        _one.Dispose();
    }

    private async Task<ProcessRow> RowAsync(
        ChildProcess process,
        ProcessFigures? figures,
        TimeSpan passed,
        CancellationToken cancellationToken
    )
    {
        var history = HistoryOf(process.Name);
        var isReplica = application.Find(process.Name) is not null;
        var state = await StateAsync(process, history, isReplica, cancellationToken);
        double? cpu =
            figures is not null && passed >= Shortest && _cpu.TryGetValue(process.Id, out var earlier)
                ? 100 * (figures.Cpu - earlier) / passed
                : null;
        var can =
            Switch is null || !isReplica || state is ProcessHistory.Restarting or "stopping" ? null
            : state is ProcessHistory.Ended or "stopped" ? "start"
            : "stop";
        return new(
            process.Name,
            state,
            process.Id,
            cpu,
            figures?.Memory,
            history?.Restarts ?? 0,
            history?.LastExit,
            can
        );
    }

    private async Task<string> StateAsync(
        ChildProcess process,
        ProcessHistory? history,
        bool isReplica,
        CancellationToken cancellationToken
    )
    {
        if (Switch?.HasStopped(process.Name) == true)
            return process.Ended.IsCompleted ? "stopped" : "stopping";
        if (process.Ended.IsCompleted)
        {
            return Switch is null || history is { State: ProcessHistory.Ended }
                ? ProcessHistory.Ended
                : ProcessHistory.Restarting;
        }

        return Switch is null || !isReplica
            ? ProcessHistory.Running
            : await ReplicaStatus.StateAsync(_http, application.UrlOf(process.Name), cancellationToken);
    }
}
