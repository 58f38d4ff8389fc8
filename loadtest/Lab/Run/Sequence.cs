using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Telemetry.Ingest;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Run;

/// <summary>Runs stages on one application, and restarts only the processes that a stage changes.</summary>
internal sealed class Sequence(
    RunPlan plan,
    Func<StagePlan, ILoadDriver> driver,
    IProgress<string> progress,
    LiveRun live,
    HttpClient http,
    LabContext context
)
{
    private readonly List<StageOutcome> _outcomes = [];
    private readonly TimeProvider _clock = context.Time;

    private TextWriter Error => context.Error.Text;

    /// <summary>The results so far; the last stage can be incomplete.</summary>
    public IReadOnlyList<StageOutcome> Outcomes => _outcomes;

    public Calibration? Calibration { get; private set; }

    /// <summary><c>null</c> before the end.</summary>
    public TelemetryCounts? Telemetry { get; private set; }

    public RunTelemetry? Answers { get; private set; }

    public async Task ExecuteAsync(CancellationToken cancellationToken)
    {
        if (plan.Played is not [var first, ..])
            return;
        if (first is { Environment.Nodes: { } nodes, EmulatesNodes: true })
        {
            progress.Report("Calibrating the virtual nodes…");
            Calibration = await Calibration.RepeatAsync(
                () => Calibration.RunAsync(nodes, _clock, cancellationToken),
                said => Error.WriteLine($"\r{said}")
            );
        }

        progress.Report($"Stage {first.Stage.Id}: starting…");
        await using var telemetry = await TelemetryCollector.StartAsync(
            plan.Options.Folder,
            plan.Options.Ports.Collector,
            _clock,
            cancellationToken,
            (host, store) => host.MapLivePage(store, live, _clock),
            notice: Error.WriteLine
        );
        await Error.WriteLineAsync($"\rWatch it live: {telemetry.Address}");
        await using var application = await Application.StartStoresAsync(
            first.Application,
            new StageProgress(progress, first),
            cancellationToken
        );
        try
        {
            await using var sampler = await RunSampler.StartAsync(
                telemetry,
                application.Plan.Broker,
                application.Plan.RedisConnectionString,
                application.Nodes,
                _clock,
                Error.WriteLine
            );
            foreach (var stage in plan.Played)
                await ExecuteAsync(stage, application, telemetry, sampler, cancellationToken);
        }
        catch (Exception exception) when (SampleGaps.IsUnavailable(exception, cancellationToken))
        {
            throw await application.CauseOfAsync(exception);
        }
        catch (KqlException exception)
        {
            throw new LabException($"The stage's telemetry cannot be read: {exception.Message}");
        }
        catch (IOException exception)
        {
            throw Disk.CannotKeep(plan.Options.Folder, exception);
        }
        finally
        {
            (Telemetry, Answers) = (telemetry.Counts, new(telemetry.Snapshot()));
            LabState.Delete();
        }
    }

    private async Task ExecuteAsync(
        StagePlan stage,
        Application application,
        TelemetryCollector telemetry,
        RunSampler sampler,
        CancellationToken cancellationToken
    )
    {
        var queue = new QueueControl(http, application.Plan.Broker);
        var wanted = stage.Application with { TelemetryConnectionString = telemetry.ConnectionString };
        await new StageSetup(stage, wanted, application, queue, http, _clock).PrepareAsync(
            new StageProgress(progress, stage),
            cancellationToken
        );
        LabState.Of(application).Save();
        var view = new RunView(stage, plan.SecondsFrom(stage) - stage.TotalSeconds, context.Error);
        var run = new StageRun(stage, new StartedApplication(application, http), driver(stage), view, http, _clock)
        {
            Faults = new FaultInjection(stage, application, http, _clock).RunAsync,
        };
        var startedAt = await sampler.BeginStageAsync(cancellationToken);
        live.Begin(LiveStage.Of(stage, startedAt));
        Measured? measured = null;
        try
        {
            var played = await run.ExecuteAsync(cancellationToken);
            RunFolder.RequireMinSpace(plan.Options.Folder);
            var times = await sampler.EndStageAsync(stage.Stage.Id, startedAt, cancellationToken);
            measured = played with { Telemetry = new RunTelemetry(telemetry.Snapshot()).Figures(times) };
        }
        finally
        {
            view.End();
            _outcomes.Add(new(stage, startedAt, measured, run.SoFar));
        }
        live.End(RunRecord.StagesOf(plan, _outcomes, Calibration?.WhyVoid, reason: null));
    }
}
