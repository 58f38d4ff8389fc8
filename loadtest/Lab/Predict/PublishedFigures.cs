using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using DroneDelivery.Lab.Stages;
using Figures = System.Collections.Generic.IReadOnlyDictionary<string, DroneDelivery.Lab.Predict.SimulatedFigure>;

namespace DroneDelivery.Lab.Predict;

/// <summary>What the model says about a published stage: the median of five simulations, made when somebody asks.</summary>
internal static class PublishedFigures
{
    private static readonly int[] Seeds = [1, 2, 3, 4, 5];

    // A verdict asks for each figure, and a report for each sentence.
    private static readonly ConditionalWeakTable<Stage, ConcurrentDictionary<double, Figures>> Played = [];

    /// <summary>What a figure is predicted to be in a run shortened by <paramref name="k"/>; null: the stage's file does not ask.</summary>
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
