using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Planning;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Predict;

/// <summary>A setting, planned by formulas and by simulations beside each other.</summary>
/// <param name="FullLength">The formulas for what is not shortened: prefetch counts as one types them.</param>
/// <param name="Simulated">Figure → the median of the simulations and their range.</param>
internal record PlannedSetting(
    Setting Setting,
    Plan Formulas,
    Plan FullLength,
    IReadOnlyDictionary<string, SimulatedFigure> Simulated
)
{
    /// <summary>Whether settlements are refused in the simulations because locks are over.</summary>
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
                SimulatedFigures.For(stage, Seeds, new(Left: cancellationToken))
            ),
            stage
        );
    }
}
