using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Predict;

/// <summary>What the model says about a figure: the median of several simulations, and their range.</summary>
internal sealed record SimulatedFigure(double Median, double Min, double Max)
{
    public static SimulatedFigure Of(IEnumerable<double> values)
    {
        double[] all = [.. values];
        return new(Percentiles.Median(all), all.Min(), all.Max());
    }
}

/// <summary>The prediction for a stage with any knobs.</summary>
internal static class SimulatedFigures
{
    /// <returns>Figure → what the model says; without those that nobody can know.</returns>
    /// <exception cref="TooManyEventsException">One of them came to its limit.</exception>
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
