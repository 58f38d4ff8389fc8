using DroneDelivery.Model.Planning;
using Numbers = System.Collections.Immutable.ImmutableSortedDictionary<string, int>;

namespace DroneDelivery.Lab.Predict;

/// <summary>The result of a search.</summary>
/// <param name="Found">The smallest configuration that meets the goal, or <c>null</c>.</param>
/// <param name="Judgment">The evaluation of the found or closest configuration.</param>
/// <param name="Binds">Its bottleneck by the formulas.</param>
/// <param name="Smaller">Configurations with one resource less, the next smaller one first.</param>
internal sealed record Tuned(
    Goal Goal,
    Numbers? Found,
    Judgment Judgment,
    Limit Binds,
    IReadOnlyList<Smaller> Smaller,
    int Simulations,
    bool IsExhausted
);

internal sealed record Smaller(string Change, Numbers Numbers, Judgment Judgment, Limit Binds);

internal enum GoalAnswer
{
    Holds,

    /// <summary>Only if the application costs no more than the model assumes.</summary>
    TooClose,

    Fails,

    /// <summary>The simulation was abandoned.</summary>
    Unknown,
}

internal sealed record Judgment(
    GoalAnswer Answer,
    IReadOnlyDictionary<string, double> Figures,
    IReadOnlyList<string> Misses
)
{
    /// <summary>Why the configuration isn't the result, or that it meets the goal.</summary>
    public string Why =>
        Answer switch
        {
            GoalAnswer.Fails => string.Join("; ", Misses),
            GoalAnswer.TooClose => $"too close: with costs {Tuner.ModelError:0 %} higher, {string.Join("; ", Misses)}",
            GoalAnswer.Unknown => "the search reached its event limit",
            _ => "it meets the goal",
        };
}
