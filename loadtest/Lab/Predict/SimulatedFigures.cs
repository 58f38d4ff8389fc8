using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Predict;

/// <summary>The median and range of several simulations.</summary>
internal sealed record SimulatedFigure(double Median, double Min, double Max)
{
    public static SimulatedFigure Of(IEnumerable<double> values)
    {
        double[] all = [.. values];
        return new(Percentiles.Median(all), all.Min(), all.Max());
    }
}

internal static class SimulatedFigures
{
    /// <returns>The predictions by metric, without unpredictable ones.</returns>
    /// <exception cref="TooManyEventsException">A simulation exceeded the limit of events.</exception>
    public static IReadOnlyDictionary<string, SimulatedFigure> For(
        StagePlan plan,
        IReadOnlyList<int> seeds,
        SimulationLimits limits = default
    ) => Of(seeds.Select(seed => FigureTable.Of(SimulatedStage.Play(plan, seed, limits))));

    public static IReadOnlyDictionary<string, SimulatedFigure> Of(
        IEnumerable<IReadOnlyDictionary<string, double>> runs
    ) =>
        runs.SelectMany(run => run)
            .GroupBy(figure => figure.Key, figure => figure.Value)
            .Where(values => values.All(double.IsFinite))
            .ToDictionary(values => values.Key, SimulatedFigure.Of);
}
