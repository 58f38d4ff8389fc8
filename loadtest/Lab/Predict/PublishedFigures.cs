using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using DroneDelivery.Lab.Stages;
using Figures = System.Collections.Generic.IReadOnlyDictionary<string, DroneDelivery.Lab.Predict.SimulatedFigure>;

namespace DroneDelivery.Lab.Predict;

/// <summary>The prediction for a published stage: the median of five simulations, cached.</summary>
internal static class PublishedFigures
{
    private static readonly int[] Seeds = [1, 2, 3, 4, 5];

    private static readonly ConditionalWeakTable<Stage, ConcurrentDictionary<double, Figures>> Played = [];

    /// <summary>Returns a prediction at 1/<paramref name="k"/> scale; <c>null</c> if the stage doesn't list the metric.</summary>
    public static double? Prediction(this Stage stage, string figure, double k) =>
        stage.Predicted.Contains(figure) || (k == 1 && stage.PredictedAtFullLength.Contains(figure))
            ? Played.GetOrCreateValue(stage).GetOrAdd(k, Play, stage).GetValueOrDefault(figure)?.Median
            : null;

    /// <inheritdoc cref="Expectation.Of"/>
    public static string? Expectation(this Stage stage, double k) =>
        Stages.Expectation.Of(stage, figure => stage.Prediction(figure, k));

    private static Figures Play(double k, Stage stage) =>
        SimulatedFigures.For(StagePlan.Of(stage, RunOptions.Published(k)), Seeds);
}
