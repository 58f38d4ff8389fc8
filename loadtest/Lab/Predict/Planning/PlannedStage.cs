using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Planning;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Predict;

/// <summary>A configuration with the results of formulas and simulations.</summary>
/// <param name="FullLength">The formulas at full scale, for prefetch counts as entered.</param>
internal record PlannedSetting(
    Setting Setting,
    Plan Formulas,
    Plan FullLength,
    IReadOnlyDictionary<string, SimulatedFigure> Simulated
)
{
    /// <summary>Whether simulated locks expire.</summary>
    public bool LosesLocksSimulated => Simulated["lockLost.any"].Median > 0;
}

internal sealed record PlannedStage(PlannedSetting Planned, StagePlan Stage) : PlannedSetting(Planned)
{
    private static readonly int[] Seeds = [1, 2, 3];

    public static PlannedStage Of(StagePlan stage, CancellationToken cancellationToken)
    {
        var setting = SimulatedSetting.Of(stage);
        return new(
            new(
                setting,
                Planner.Of(setting),
                Planner.Of(SimulatedSetting.Of(stage.AtFullLength)),
                SimulatedFigures.For(stage, Seeds, new(CancellationToken: cancellationToken))
            ),
            stage
        );
    }
}
