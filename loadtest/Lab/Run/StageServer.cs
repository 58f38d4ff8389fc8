using System.Net.Mime;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Stages;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Run;

/// <summary>Serves the k6 scripts: prepares the application for a stage, and returns the lab's counters.</summary>
/// <param name="options">Settings that override the stages'.</param>
internal sealed class StageServer(RunOptions options, LiveRun live, HttpClient http, LabContext context) : IDisposable
{
    private readonly TimeProvider _clock = context.Time;
    private readonly IProgress<string> _progress = Progress.Lines(context.Error);
    private readonly SemaphoreSlim _turn = new(1);
    private Sampler? _sampler; // never started: k6 sets the pace

    public Application? Application { get; set; }

    public string? Telemetry { get; set; }

    public void Map(WebApplication app)
    {
        var stages = app.MapGroup("/stages").AddEndpointFilter(OtherSites.Reject);
        stages.MapPut("/{id}", PutAsync);
        stages.MapGet("/reading", ReadAsync);
    }

    public void Dispose() => _turn.Dispose();

    private async Task<IResult> PutAsync(string id, double k, CancellationToken cancellationToken)
    {
        if (Application is not { } application)
            return Refused("The application is starting.", StatusCodes.Status503ServiceUnavailable);
        await _turn.WaitAsync(cancellationToken);
        try
        {
            var plan = StagePlan.Of(Stage.Load(id), options with { K = k });
            await PrepareAsync(plan, application, cancellationToken);
            return Results.Json(
                new { Targets = plan.Application.Urls(Service.Ingestion), References = ReferencesOf(plan.Stage, k) }
            );
        }
        catch (LabException exception)
        {
            return Refused(exception.Message, StatusCodes.Status400BadRequest);
        }
        finally
        {
            _turn.Release();
        }
    }

    private async Task PrepareAsync(StagePlan plan, Application application, CancellationToken cancellationToken)
    {
        await context.Error.Text.WriteLineAsync($"Preparing stage {plan.Stage.Id}…");
        var queue = new QueueControl(http, application.Plan.Broker);
        var wanted = plan.Application with { TelemetryConnectionString = Telemetry };
        var setup = new StageSetup(plan, wanted, application, queue, http, _clock);
        await setup.PrepareAsync(new StageProgress(_progress, plan), cancellationToken);
        LabState.Of(application).Save();
        var target = new StartedApplication(application, http);
        _sampler = new(http, target.Counts, target.Services, target.ReadNodes, () => null, _clock);
        live.Begin(LiveStage.Of(plan, _clock.GetUtcNow()));
        _progress.Report("");
        await context.Error.Text.WriteLineAsync($"Stage {plan.Stage.Id} is prepared (k = {plan.K:0.##}).");
    }

    private async Task<IResult> ReadAsync(CancellationToken cancellationToken)
    {
        if (_sampler is not { } sampler)
            return Refused("No stage is prepared.", StatusCodes.Status409Conflict);
        var reading = await sampler.ReadAsync(cancellationToken);
        return Results.Json(
            new
            {
                reading.Queue,
                reading.Errors,
                reading.OutOfMemory,
                Nodes = reading.Nodes?.Spent.Select(spent => spent.TotalSeconds / reading.Nodes.VCpu) ?? [],
            }
        );
    }

    private static Dictionary<string, Dictionary<string, double?>> ReferencesOf(Stage stage, double k) =>
        stage
            .Checks.Where(check => check.RelativeTo is not null)
            .GroupBy(check => Stage.Load(check.RelativeTo!), check => check.Figure)
            .ToDictionary(
                figures => figures.Key.Id,
                figures => figures.ToDictionary(figure => figure, figure => figures.Key.Prediction(figure, k))
            );

    private static IResult Refused(string why, int status) =>
        Results.Text(why, MediaTypeNames.Text.Plain, statusCode: status);
}
