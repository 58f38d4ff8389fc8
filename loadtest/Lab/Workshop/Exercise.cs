namespace DroneDelivery.Lab.Workshop;

/// <summary>A question of the workshop that a run answers, by itself or with a few words about it.</summary>
/// <param name="Id">As typed after <c>lab check</c>.</param>
/// <param name="Question">What is asked.</param>
/// <param name="Stage">Whose load it is about.</param>
/// <param name="BeginWith">What to type after <c>./lab</c> to see the problem.</param>
/// <param name="MayTurn">Knobs that a run may have turned; with any other it answers another question.</param>
/// <param name="Conditions">All have to hold.</param>
internal sealed record Exercise(
    string Id, string Question, string Stage, string BeginWith, IReadOnlyList<string> MayTurn, IReadOnlyList<Condition> Conditions)
{
    /// <summary>What has to be said with <c>--answer</c>; null: the run says it all.</summary>
    public string? Answer { get; init; }

    /// <summary>What to type after <c>./lab</c> to have an attempt checked.</summary>
    public string CheckWith => $"check {Id}{(Answer is null ? "" : $" --answer '{Answer}'")}";

    /// <summary>Every condition in its order. What comes after one that is missing is not looked at: it would mean nothing.</summary>
    public IReadOnlyList<Finding> Check(Attempt attempt)
    {
        var findings = new List<Finding>();
        foreach (var condition in Conditions.Prepend(NothingElseWasTurned))
            findings.Add(findings.Exists(finding => finding.Holds != true)
                ? new(condition.Claim, null, null)
                : Finding.Of(condition, attempt));
        return findings;
    }

    private Condition NothingElseWasTurned => new(
        "nothing was turned that has to stay",
        attempt => !TurnedElse(attempt).Any(),
        attempt => $"{string.Join(", ", TurnedElse(attempt))} was turned too. "
            + (MayTurn.Count == 0 ? "Play the stage as it is." : $"This is about {string.Join(", ", MayTurn)} alone."));

    private IEnumerable<string> TurnedElse(Attempt attempt) => attempt.Run.Changed.Keys.Except(MayTurn);
}

/// <summary>One thing that an attempt has to fulfil.</summary>
/// <param name="Claim">What holds then.</param>
/// <param name="Missing">Otherwise, in a sentence: what was found, or where to look. Never what to do about it.</param>
internal sealed record Condition(string Claim, Func<Attempt, bool> Holds, Func<Attempt, string> Missing);

/// <summary>What came of a condition.</summary>
/// <param name="Holds">Null: not looked at.</param>
/// <param name="Missing">Only where it does not hold.</param>
internal sealed record Finding(string Claim, bool? Holds, string? Missing)
{
    public static Finding Of(Condition condition, Attempt attempt) =>
        condition.Holds(attempt) ? new(condition.Claim, true, null) : new(condition.Claim, false, condition.Missing(attempt));
}
