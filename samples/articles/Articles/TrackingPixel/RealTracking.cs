using System.Diagnostics;
using System.Net;
using System.Net.Http.Json;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Articles.TrackingPixel;

/// <summary>Measures the cost of a stored hit with each writer of the tracking service and Azurite on this machine.</summary>
internal static class RealTracking
{
    private static readonly Service Tracking = new("tracking", "Tracking", 5700);

    private static readonly string[] Writers = ["Insert", "Batch", "None"];

    /// <summary>Time after which hits that aren't stored are lost.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30),
        Pause = TimeSpan.FromMilliseconds(20);

    public static void RequireMachine(Scene scene)
    {
        Azurite.RequirePrograms();
        RealArm.RequireMachine(PlanOf(scene));
        Ports.EnsureFree([("Azurite", Azurite.PortOf(scene.Ports))]);
    }

    public static async Task<Exhibits> MeasureAsync(Scene scene, CancellationToken cancellationToken)
    {
        await using var azurite = await Azurite.StartAsync(scene, cancellationToken);
        return await RealArm.MeasureAsync(
            PlanOf(scene),
            scene,
            async (application, token) =>
            {
                var loads = await LoadAllAsync(application, azurite, scene, token);
                return new Exhibits(Figures(loads)) { Tables = [Table(loads, scene.Knobs)] };
            },
            cancellationToken
        );
    }

    private static async Task<IReadOnlyList<WriterLoad>> LoadAllAsync(
        Application application,
        Azurite azurite,
        Scene scene,
        CancellationToken cancellationToken
    )
    {
        using var http = new HttpClient(new SocketsHttpHandler { UseProxy = false, UseCookies = false });
        var loads = await RealArm.InTurnAsync(
            scene,
            WriterSubject.All,
            subject => $"writer {subject.Name}",
            async (subject, turn) =>
            {
                // A new table, because Azurite slows down with the size of a table.
                var table = $"{subject.Name}{turn}";
                var load = await LoadAsync(application, http, subject, table, scene.Knobs, cancellationToken);
                return load with { Stored = await azurite.CountAsync(table, cancellationToken) };
            }
        );
        return [.. loads.Select(it => WriterLoad.Together([.. it.Turns.Skip(1)]))];
    }

    private static async Task<WriterLoad> LoadAsync(
        Application application,
        HttpClient http,
        WriterSubject subject,
        string table,
        Knobs knobs,
        CancellationToken cancellationToken
    )
    {
        var replica = Array.IndexOf(Writers, subject.Writer);
        var (url, process) = (application.Plan.Url(Tracking, replica), application[Tracking, replica]);
        var accounts = subject.IsScattered ? int.MaxValue : (long)knobs["real.accounts"];
        var readers = new ClosedClients(http, number => Hit(url, table, number % accounts), HttpStatusCode.OK);
        var (cpu, start) = (process.Cpu, Stopwatch.GetTimestamp());
        var seen = await readers.RunAsync(
            knobs.Count("real.readers"),
            TimeSpan.FromSeconds(knobs["real.seconds"]),
            cancellationToken
        );
        if (subject.Name != WriterSubject.None)
            await StoredAsync(http, url, cancellationToken);
        return new(subject.Name, seen, Stopwatch.GetElapsedTime(start).TotalSeconds, process.Cpu - cpu, Stored: 0);
    }

    private static HttpRequestMessage Hit(Uri tracking, string table, long account)
    {
        var request = new HttpRequestMessage(HttpMethod.Get, new Uri(tracking, $"track/{table}?account=user{account}"));
        request.Headers.TryAddWithoutValidation("Cookie", "trackingId=reader");
        return request;
    }

    /// <summary>Waits until all acknowledged hits are stored or lost.</summary>
    private static async Task StoredAsync(HttpClient http, Uri tracking, CancellationToken cancellationToken)
    {
        for (var began = Stopwatch.GetTimestamp(); ; await Task.Delay(Pause, cancellationToken))
        {
            var counters = await http.GetFromJsonAsync<Counters>(
                new Uri(tracking, "track/counters"),
                cancellationToken
            );
            if (counters!.Stored + counters.Lost >= counters.Answered || Stopwatch.GetElapsedTime(began) > Patience)
                return;
        }
    }

    internal static Dictionary<string, double> Figures(IReadOnlyList<WriterLoad> loads)
    {
        var by = loads.ToDictionary(load => load.Subject);
        var (insert, batch, none) = (by["insert"], by["batch"], by[WriterSubject.None]);
        return new()
        {
            ["real.batchPerInsert"] = batch.PerSecond / insert.PerSecond,
            ["real.batchPerScattered"] = batch.PerSecond / by["scattered"].PerSecond,
            ["real.nonePerBatch"] = none.PerSecond / batch.PerSecond,
            ["real.insertCpu"] = insert.CpuMicroseconds / batch.CpuMicroseconds,
            ["real.insertWait"] = insert.Seen.Percentile(0.5) / batch.Seen.Percentile(0.5),
            ["real.missing"] = loads.Where(load => load != none).Sum(load => load.Missing),
            ["real.ofNone"] = none.Stored,
            ["real.failed"] = loads.Sum(load => load.Seen.Failed),
        };
    }

    private static ExperimentTable Table(IReadOnlyList<WriterLoad> loads, Knobs knobs) =>
        new(
            "Three writers on this machine, and Azurite",
            $"{knobs["real.readers"]} recipients, {knobs["real.accounts"]} accounts; "
                + "scattered is the batch writer with a separate account for each hit. "
                + "Hits/s until the last one is stored. Clients, service, and Azurite share the machine.",
            ["writer", "hits/s#", "p50 ms#", "p99 ms#", "CPU µs per hit#", "acknowledged#", "stored#", "rejected#"],
            [.. loads.Select(Row)]
        );

    private static IReadOnlyList<string> Row(WriterLoad load) =>
        [
            load.Subject,
            $"{load.PerSecond:#,0}",
            $"{load.Seen.Percentile(0.5):0.00}",
            $"{load.Seen.Percentile(0.99):0.00}",
            $"{load.CpuMicroseconds:0}",
            $"{load.Answered:#,0}",
            $"{load.Stored:#,0}",
            $"{load.Seen.Failed:#,0}",
        ];

    /// <summary>Returns a plan with a process for each writer.</summary>
    private static ApplicationPlan PlanOf(Scene scene)
    {
        var plan = RealArm.PlanOf(scene);
        var all = new Dictionary<string, string>
        {
            ["Tracking:ConnectionString"] = Azurite.ConnectionString(Azurite.PortOf(scene.Ports)),
            // A busy machine may be slow, and buffered hits are stored soon after the last one.
            ["Tracking:OperationTimeout"] = "00:01:00",
            ["Tracking:RoomTimeout"] = "00:01:00",
            ["Tracking:Capacity"] = "2000",
        };
        return plan with
        {
            With = [.. Writers.Select(_ => Tracking)],
            Overrides = RealArm
                .EachWith(Tracking, "Tracking:Writer", Writers)
                .Append(new(Tracking.Name, all))
                .ToDictionary(),
        };
    }

    /// <summary>The response of <c>GET /track/counters</c>.</summary>
    private sealed record Counters(long Answered, long Stored, long Lost);
}

/// <summary>A writer and its load.</summary>
/// <param name="Writer">The value of <c>Tracking:Writer</c>.</param>
/// <param name="IsScattered">Whether each hit has its own account and so its own partition.</param>
internal sealed record WriterSubject(string Name, string Writer, bool IsScattered = false)
{
    /// <summary>The writer that stores nothing.</summary>
    public const string None = "none";

    public static IReadOnlyList<WriterSubject> All { get; } =
    [new("insert", "Insert"), new("batch", "Batch"), new("scattered", "Batch", IsScattered: true), new(None, "None")];
}

/// <summary>A load on a writer.</summary>
/// <param name="Seconds">The time from the first hit until the last one is stored.</param>
/// <param name="Stored">The number of hits in its table.</param>
internal sealed record WriterLoad(string Subject, ClosedLoad Seen, double Seconds, TimeSpan Cpu, int Stored)
{
    private readonly int? _missing;

    /// <summary>Difference between acknowledged and stored hits, for each round.</summary>
    public int Missing
    {
        get => _missing ?? Math.Abs(Answered - Stored);
        init => _missing = value;
    }

    public int Answered => Seen.Requests - Seen.Failed;

    /// <summary>Acknowledged and stored hits per second.</summary>
    public double PerSecond => Answered / Seconds;

    public double CpuMicroseconds => Cpu.TotalMicroseconds / Math.Max(Answered, 1);

    public static WriterLoad Together(IReadOnlyList<WriterLoad> loads) =>
        new(
            loads[0].Subject,
            ClosedLoad.Together([.. loads.Select(load => load.Seen)]),
            loads.Sum(load => load.Seconds),
            new(loads.Sum(load => load.Cpu.Ticks)),
            loads.Sum(load => load.Stored)
        )
        {
            Missing = loads.Sum(load => load.Missing),
        };
}
