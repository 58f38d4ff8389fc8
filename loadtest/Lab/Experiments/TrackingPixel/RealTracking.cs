using System.Diagnostics;
using DroneDelivery.Lab.Cluster;

namespace DroneDelivery.Lab.Experiments;

/// <summary>The tracking service with each of its writers on this machine, and Azurite as the table: what a stored hit really
/// costs.</summary>
internal static class RealTracking
{
    /// <summary>A writer that has not stored everything by then has lost it.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30), Pause = TimeSpan.FromMilliseconds(20),
        TimeToNotice = TimeSpan.FromSeconds(2);

    /// <exception cref="LabException">No node, or a port is in use.</exception>
    public static void RequireMachine(ExperimentPlace place)
    {
        AzuriteInstallation.RequirePrograms();
        _ = RedisServer.Find();
        TrackingProcesses.RequireFreePorts(place);
    }

    public static async Task<Exhibits> MeasureAsync(
        KnobValues knobs, ExperimentPlace place, IProgress<string> progress, CancellationToken cancellationToken)
    {
        await AzuriteInstallation.RequireAsync(progress.Report, cancellationToken);
        progress.Report("starting Azurite and a service for each writer");
        await using var processes = await TrackingProcesses.StartAsync(place, cancellationToken);
        var loads = await MeasureAsync(processes, knobs, progress, cancellationToken);
        return new(Figures(loads)) { Tables = [Table(loads, knobs)] };
    }

    /// <exception cref="LabException">One of the processes has ended, or stores no more.</exception>
    internal static async Task<IReadOnlyList<WriterLoad>> MeasureAsync(
        TrackingProcesses processes, KnobValues knobs, IProgress<string> progress, CancellationToken cancellationToken)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var watch = processes.WatchAsync();
        var turns = TurnsAsync(processes, knobs, progress, ended.Token);
        await Task.WhenAny(watch, turns);
        await ended.CancelAsync();
        try
        {
            return await turns;
        }
        catch (Exception exception)
            when (exception is HttpRequestException or OperationCanceledException && !cancellationToken.IsCancellationRequested)
        {
            // Whoever asks it notices its end a little before whoever watches it.
            await Task.WhenAny(watch, Task.Delay(TimeToNotice, cancellationToken));
            if (watch.IsCompleted)
                await watch;
            throw new LabException($"Tracking or Azurite did not answer: {exception.Message.Split('\n')[0]}");
        }
    }

    /// <summary>All writers in turn, so that whatever else the machine does meets each of them; the first turn warms up.</summary>
    private static async Task<IReadOnlyList<WriterLoad>> TurnsAsync(
        TrackingProcesses processes, KnobValues knobs, IProgress<string> progress, CancellationToken cancellationToken)
    {
        using var http = new HttpMessageInvoker(new SocketsHttpHandler { UseProxy = false, UseCookies = false });
        var turns = (int)knobs["real.repetitions"];
        var loads = new List<WriterLoad>();
        for (var turn = 0; turn <= turns; turn++)
        {
            foreach (var subject in WriterSubject.All)
            {
                progress.Report($"writer {subject.Name}, turn {turn} of {turns}");
                var load = await LoadAsync(processes, http, subject, $"{subject.Name}{turn}", knobs, cancellationToken);
                if (turn > 0)
                    loads.Add(load);
            }
        }

        return [.. loads.GroupBy(load => load.Subject).Select(same => WriterLoad.Together([.. same]))];
    }

    /// <summary>Into a table of its own: the fuller a table of Azurite is, the slower.</summary>
    private static async Task<WriterLoad> LoadAsync(
        TrackingProcesses processes,
        HttpMessageInvoker http,
        WriterSubject subject,
        string table,
        KnobValues knobs,
        CancellationToken cancellationToken)
    {
        var accounts = subject.IsScattered ? int.MaxValue : (int)knobs["real.accounts"];
        var readers = new Readers(http, processes.Url(subject.Writer));
        var cpu = processes.Cpu(subject.Writer);
        var start = Stopwatch.GetTimestamp();
        var length = TimeSpan.FromSeconds(knobs["real.seconds"]);
        var seen = await readers.RunAsync((int)knobs["real.readers"], table, accounts, length, cancellationToken);
        if (subject != WriterSubject.None)
            await StoredAsync(processes, subject, cancellationToken);
        var seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        return new(
            subject, seen, seconds, processes.Cpu(subject.Writer) - cpu, await processes.CountAsync(table, cancellationToken));
    }

    /// <summary>Until everything that was answered is stored or lost.</summary>
    private static async Task StoredAsync(TrackingProcesses processes, WriterSubject subject, CancellationToken cancellationToken)
    {
        for (var began = Stopwatch.GetTimestamp(); ; await Task.Delay(Pause, cancellationToken))
        {
            var counters = await processes.CountersAsync(subject.Writer, cancellationToken);
            if (counters.Stored + counters.Lost >= counters.Answered || Stopwatch.GetElapsedTime(began) > Patience)
                return;
        }
    }

    internal static Dictionary<string, double> Figures(IReadOnlyList<WriterLoad> loads)
    {
        var by = loads.ToDictionary(load => load.Subject);
        var insert = by[WriterSubject.Insert];
        var batch = by[WriterSubject.Batch];
        return new()
        {
            ["real.batchPerInsert"] = batch.PerSecond / insert.PerSecond,
            ["real.batchPerScattered"] = batch.PerSecond / by[WriterSubject.Scattered].PerSecond,
            ["real.queuePerInsert"] = by[WriterSubject.Queue].PerSecond / insert.PerSecond,
            ["real.nonePerBatch"] = by[WriterSubject.None].PerSecond / batch.PerSecond,
            ["real.insertCpu"] = insert.CpuMicroseconds / batch.CpuMicroseconds,
            ["real.insertWait"] = insert.Seen.Percentile(0.5) / batch.Seen.Percentile(0.5),
            ["real.missing"] = loads.Where(IsStored).Sum(load => load.Missing),
            ["real.ofNone"] = by[WriterSubject.None].Stored,
            ["real.failed"] = loads.Sum(load => load.Seen.Failed),
        };
    }

    private static bool IsStored(WriterLoad load) => load.Subject != WriterSubject.None;

    private static ExperimentTable Table(IReadOnlyList<WriterLoad> loads, KnobValues knobs) => new(
        "Four writers on this machine, and Azurite",
        $"{knobs["real.readers"]} readers, {knobs["real.accounts"]} accounts; scattered is the writer batch with an account for each hit. "
            + "Hits/s: until the last is stored. Readers, service, broker and Azurite share the machine.",
        ["writer", "hits/s#", "p50 ms#", "p99 ms#", "CPU µs a hit#", "answered#", "stored#", "refused#"],
        [.. loads.Select(Row)]);

    private static IReadOnlyList<string> Row(WriterLoad load) =>
    [
        load.Subject.Name, $"{load.PerSecond:#,0}", $"{load.Seen.Percentile(0.5):0.00}", $"{load.Seen.Percentile(0.99):0.00}",
        $"{load.CpuMicroseconds:0}", $"{load.Answered:#,0}", $"{load.Stored:#,0}", $"{load.Seen.Failed:#,0}",
    ];
}
