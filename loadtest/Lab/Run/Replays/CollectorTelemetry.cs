using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;
using DroneDelivery.Telemetry.Ingest;

namespace DroneDelivery.Lab.Run;

/// <summary>
/// The telemetry of a collector in another process (<c>lab up</c> or <c>lab collect</c>). Copies it to the run's folder and adds the
/// samples of this run.
/// </summary>
internal sealed class CollectorTelemetry(
    HttpClient http,
    Uri collector,
    string folder,
    Action<string> notice,
    TimeProvider clock
)
{
    // Services send every second.
    private static readonly TimeSpan UploadDelay = TimeSpan.FromSeconds(3);

    /// <param name="stage">The times by the local system clock.</param>
    public async Task<IReadOnlyDictionary<string, double>> FiguresAsync(
        StageTimes stage,
        IReadOnlyList<Reading> readings,
        Sources told,
        CancellationToken cancellationToken
    )
    {
        await Task.Delay(UploadDelay, clock, cancellationToken);
        await CopyAsync(cancellationToken);
        await AddSamplesAsync(stage, readings, told);
        return (await RunTelemetry.LoadAsync(folder, notice, cancellationToken)).Figures(stage);
    }

    private string FilePath => Path.Combine(folder, TelemetryCollector.FileName);

    private async Task CopyAsync(CancellationToken cancellationToken)
    {
        try
        {
            await using var content = await http.GetStreamAsync(
                new Uri(collector, TelemetryCollector.FileName),
                cancellationToken
            );
            await using var file = File.Create(FilePath);
            await content.CopyToAsync(file, cancellationToken);
        }
        catch (HttpRequestException exception)
        {
            throw new LabException($"The telemetry of the collector {collector} cannot be read: {exception.Message}");
        }
    }

    private async Task AddSamplesAsync(StageTimes stage, IReadOnlyList<Reading> readings, Sources told)
    {
        await using var store = new TelemetryStore(new() { File = FilePath }, clock);
        var samples = new RunSamples(store);
        foreach (var reading in readings)
            samples.Queue(reading.Time, reading.Queue, told);
        samples.Stage(stage);
    }
}
