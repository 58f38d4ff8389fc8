using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Judge;

/// <summary>What came of one stage.</summary>
/// <param name="Measured">Null: it was broken off.</param>
/// <param name="IsHalf">Whether it is the first half of another stage.</param>
internal sealed record StageOutcome(StagePlan Plan, DateTimeOffset StartedAt, Measured? Measured, Series SoFar, bool IsHalf = false);
