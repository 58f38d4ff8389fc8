using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>
/// The telemetry of one application, for all tests that read it: one delivery, a stage, a stage without Workflow, and
/// requests with a full Redis.
/// </summary>
[CollectionDefinition]
public sealed class ObservedRun : ICollectionFixture<ObservedRun>, IAsyncLifetime
{
    public const int InFirstStage = 10,
        InSecondStage = 5,
        WithFullRedis = 5;

    // No timeouts: a retry on a paused machine would change the number of calls.
    private static readonly string[] Patient = ["redis.operationTimeout=20", "http.attemptTimeout=60"];

    // An empty Redis uses more than 256 KiB, so it rejects each write of Delivery: one attempt and one retry.
    private static readonly string[] FullRedis =
    [
        .. Patient,
        "telemetry.redis=on",
        "redis.maxMemory=256kb",
        "http.retryDelays=100ms",
        "http.retryJitter=0",
        "workflow.retryFor=0",
        "workflow.holdDuringOutage=off",
        "workflow.supervisor=off",
        "http.breakerFailureRatio=0",
    ];

    private readonly string _folder = Directory.CreateTempSubdirectory("lab-test").FullName;

    internal StageTimes Delivery { get; private set; } = null!;

    internal StageTimes First { get; private set; } = null!;

    internal StageTimes Second { get; private set; } = null!;

    internal StageTimes Full { get; private set; } = null!;

    /// <summary>The figures of the two stages, read while the application ran.</summary>
    internal IReadOnlyList<IReadOnlyDictionary<string, double>> LiveFigures { get; private set; } = [];

    /// <summary>The telemetry after all processes have stopped.</summary>
    internal RunTelemetry Telemetry { get; private set; } = null!;

    /// <summary>The telemetry as the file contains it.</summary>
    internal RunTelemetry FromDisk { get; private set; } = null!;

    internal TelemetryCounts Counts { get; private set; } = null!;

    /// <summary>The broker's counters of the requests with a full Redis.</summary>
    internal QueueCounters QueueWithFullRedis { get; private set; } = null!;

    public async ValueTask InitializeAsync()
    {
        await using (var collector = await TelemetryCollector.StartAsync(_folder, 0, TimeProvider.System, Cancel))
        {
            await using var running = await RunningApplication.StartAsync("none", Patient, plan =>
                plan with
                {
                    TelemetryConnectionString = collector.ConnectionString,
                }
            );
            await RunAsync(running, collector);
            await running.StopAsync();
            (Telemetry, Counts) = (new(collector.Snapshot()), collector.Counts);
        }
        FromDisk = await RunTelemetry.LoadAsync(_folder, _ => { }, Cancel);
    }

    /// <returns>The rows of the result, with the cells separated by commas.</returns>
    internal IReadOnlyList<string> Ask(string query, StageTimes times)
    {
        const string Times = "let start = ago(1h); let end = now(); ";
        var answer = Telemetry.Ask(KqlQuery.Parse(Times + query), times, Cancel);
        return
        [
            .. Enumerable
                .Range(0, answer.Rows)
                .Select(row =>
                    string.Join(", ", answer.Columns.Select((_, column) => answer[row, column]?.ToString() ?? "∅"))
                ),
        ];
    }

    /// <returns>A column of the result of a file in loadtest/queries.</returns>
    internal IReadOnlyList<string> AskFile(string name, string column, StageTimes times) =>
        [.. Telemetry.Ask(name, times, Cancel).Column(column).Select(cell => $"{cell}")];

    public ValueTask DisposeAsync()
    {
        Directory.Delete(_folder, recursive: true);
        return ValueTask.CompletedTask;
    }

    private async Task RunAsync(RunningApplication running, TelemetryCollector collector)
    {
        await using var sampler = await RunSampler.StartAsync(
            collector,
            running.Plan.Broker,
            running.Plan.RedisConnectionString,
            null,
            TimeProvider.System,
            _ => { }
        );
        var start = TimeProvider.System.GetUtcNow();
        await running.SendAsync(1, 1);
        await collector.SettleAsync(Cancel);
        Delivery = new("delivery", start, TimeProvider.System.GetUtcNow());

        start = await sampler.BeginStageAsync(Cancel);
        await running.SendAsync(InFirstStage, InFirstStage);
        await running.Application.StopAsync(Service.Workflow);
        First = await sampler.EndStageAsync("1", start, Cancel);

        start = await sampler.BeginStageAsync(Cancel);
        await running.PostAsync(InSecondStage); // No Workflow receives them.
        Second = await sampler.EndStageAsync("2", start, Cancel);
        var live = new RunTelemetry(collector.Snapshot());
        LiveFigures = [live.Figures(First), live.Figures(Second)];

        await running.ChangeAsync(FullRedis);
        start = TimeProvider.System.GetUtcNow();
        var before = await running.QueueAsync();
        await running.PostAsync(WithFullRedis);
        QueueWithFullRedis = (
            await running.QueueWhenAsync(queue => queue.DeadLetter + queue.Since(before).Completed >= WithFullRedis)
        ).Since(before);
        await collector.SettleAsync(Cancel);
        Full = new("full", start, TimeProvider.System.GetUtcNow());
    }
}
