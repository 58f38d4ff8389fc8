using DroneDelivery.Model.Planning;
using Numbers = System.Collections.Immutable.ImmutableSortedDictionary<string, int>;

namespace DroneDelivery.Lab.Predict;

/// <summary>The result of a search.</summary>
/// <param name="Found">The smallest setting that meets the goal; null: there is none, or the search ended before it knew.</param>
/// <param name="Judgment">Of what is found, or of what came closest.</param>
/// <param name="Binds">The tightest limit of that by arithmetic.</param>
/// <param name="Smaller">Settings with one thing less, the next smaller one first.</param>
/// <param name="IsExhausted">Whether the search ended before it had tried all that it wanted to.</param>
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

/// <summary>Whether a setting meets the goal in the model.</summary>
internal enum GoalAnswer
{
    Holds,

    /// <summary>Only if the application costs no more than the model says. The model may be that wrong.</summary>
    TooClose,

    Fails,

    /// <summary>Its simulation was given up.</summary>
    Unknown,
}

internal sealed record Judgment(
    GoalAnswer Answer,
    IReadOnlyDictionary<string, double> Figures,
    IReadOnlyList<string> Misses
)
{
    /// <summary>Why it is not the answer, in a sentence without its full stop; where it holds, that it does.</summary>
    public string Why =>
        Answer switch
        {
            GoalAnswer.Fails => string.Join("; ", Misses),
            GoalAnswer.TooClose => $"too close: with costs {Tuner.ModelError:0 %} higher, {string.Join("; ", Misses)}",
            GoalAnswer.Unknown => "the search ended at its limit of events",
            _ => "it holds",
        };
}
