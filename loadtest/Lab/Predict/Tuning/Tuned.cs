using DroneDelivery.Model.Planning;

namespace DroneDelivery.Lab.Predict;

/// <param name="IsExhausted">Whether the search ended before it had tried all that it wanted to.</param>
internal sealed record Tuned(Goal Goal, TuneSetup Setup, int Simulations, bool IsExhausted)
{
    /// <summary>The cheapest setting that meets the goal; null: there is none, or it costs more than it may.</summary>
    public Candidate? Found { get; init; }

    /// <summary>The cheapest setting that meets the goal, where it costs more than it may; null: it does not, or there is none.</summary>
    public Candidate? Dear { get; init; }

    /// <summary>Of the cheapest setting that meets the goal, whether it is found or too dear; null: there is none.</summary>
    public Cost? Cost { get; init; }

    public Judgment? Judgment { get; init; }

    public Limit? Binds { get; init; }

    /// <summary>The prefetch count that is recommended at most, at full length.</summary>
    public double SafePrefetch { get; init; }

    /// <summary>What would be cheaper, the dearest first.</summary>
    public IReadOnlyList<Cheaper> Cheaper { get; init; } = [];

    /// <summary>Whether a setting meets the goal; null: the search was broken off before it knew.</summary>
    public bool? IsPossible =>
        Found is not null ? true
        : IsExhausted ? null
        : false;

    /// <summary>Why nothing meets the goal, or nobody knows; null: something does.</summary>
    public string? Because { get; init; }

    /// <summary>The next cheaper one that fails for sure; null: there is none.</summary>
    public Cheaper? NextThatFails => Cheaper.FirstOrDefault(it => it.Judgment.Answer == GoalAnswer.Fails);
}

internal sealed record Cheaper(string Change, Candidate Candidate, Judgment Judgment, Limit Binds, double PerMonth)
{
    public string Why =>
        Judgment.Answer == GoalAnswer.Holds ? "it holds as well; the search ended at its limit" : Judgment.Why;
}
