using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Run;

/// <summary>Runs a stage on an application that is already running.</summary>
/// <param name="context">The verb's context, whose clock can differ from the target's.</param>
internal sealed class Replay(
    RunPlan plan,
    TargetQueue queue,
    IStageTarget target,
    CollectorTelemetry? telemetry,
    ILoadDriver driver,
    HttpClient http,
    LabContext context
)
{
    private readonly StagePlan _stage = plan.Played[0];

    public IReadOnlyList<StageOutcome> Outcomes { get; private set; } = [];

    public async Task ExecuteAsync(bool purge, CancellationToken cancellationToken)
    {
        try
        {
            await new ReplaySetup(_stage, queue, http, context.Time).PrepareAsync(purge, cancellationToken);
            await ExecuteAsync(cancellationToken);
        }
        catch (HttpRequestException exception)
        {
            throw new LabException($"A part of the target doesn't respond: {exception.Message}");
        }
    }

    private async Task ExecuteAsync(CancellationToken cancellationToken)
    {
        var view = new RunView(_stage, laterSeconds: 0, context.Error) { Told = target.Told };
        var run = new StageRun(_stage, target, driver, view, http, context.Time);
        var startedAt = context.Time.GetUtcNow();
        Measured? measured = null;
        try
        {
            measured = await run.ExecuteAsync(cancellationToken);
            measured = await WithTelemetryAsync(
                measured,
                new(_stage.Stage.Id, startedAt, context.Time.GetUtcNow()),
                run.Readings,
                cancellationToken
            );
        }
        finally
        {
            view.End();
            Outcomes = [new(_stage, startedAt, measured, run.SoFar)];
        }
    }

    private async Task<Measured> WithTelemetryAsync(
        Measured measured,
        StageTimes times,
        IReadOnlyList<Reading> readings,
        CancellationToken cancellationToken
    )
    {
        if (telemetry is null)
            return measured;
        var figures = await telemetry.FiguresAsync(times, readings, measured.Told, cancellationToken);
        var (told, missing) = With(measured, figures);
        if (missing is not null)
            await context.Error.Text.WriteLineAsync(missing);
        return told;
    }

    /// <summary>Adds the metrics of the telemetry. The number of failed requests requires complete telemetry.</summary>
    internal static (Measured Told, string? Missing) With(
        Measured measured,
        IReadOnlyDictionary<string, double> figures
    )
    {
        if (!(figures.GetValueOrDefault("telemetry.accepted") > 0))
            return (measured, "The collector has no telemetry of this stage. Check that the services send it there.");
        var told = measured with { Telemetry = figures, Told = measured.Told | Sources.Telemetry };
        if (told.Told.HasFlag(Sources.Errors))
            return (told, null);
        return figures["telemetry.accepted"] >= measured.Load.Accepted
            ? (told with { Told = told.Told | Sources.Errors, Errors = (long)figures["telemetry.errors"] }, null)
            : (told, "Telemetry of the stage is missing, so the number of failed internal requests is unknown.");
    }
}
