using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Run;

/// <summary>Where the services of a target send their telemetry, to be asked once a stage is over.</summary>
internal interface ITargetTelemetry
{
    /// <param name="stage">When it began and ended, by this machine's clock.</param>
    /// <param name="accepted">Requests that were accepted: as many have to be in the telemetry once all of it has arrived.</param>
    /// <returns>Figure → value, of <see cref="TelemetryFigures"/>.</returns>
    Task<IReadOnlyDictionary<string, double>> FiguresAsync(
        StageTimes stage,
        IReadOnlyList<Reading> readings,
        Sources told,
        long accepted,
        CancellationToken cancellationToken
    );
}
