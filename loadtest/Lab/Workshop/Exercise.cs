namespace DroneDelivery.Lab.Workshop;

/// <summary>A question that a run or a query answers, possibly together with a short text.</summary>
/// <param name="Id">The name, for <c>lab learn NAME</c>.</param>
/// <param name="BeginWith">The arguments of <c>./lab</c> that show the problem.</param>
internal abstract record Exercise(string Id, string Question, string BeginWith)
{
    /// <summary>The form of the text for <c>--answer</c>; <c>null</c> if the exercise needs none.</summary>
    public string? Answer { get; init; }

    /// <summary>Hints, from vague to plain.</summary>
    public IReadOnlyList<string> Hints { get; init; } = [];

    public string Because { get; init; } = "";

    /// <summary>The arguments of <c>./lab</c> that check an attempt.</summary>
    public string CheckWith => $"learn {Id}{(Answer is null ? "" : $" --answer '{Answer}'")}";

    /// <exception cref="LabException">The folder can't answer the question.</exception>
    public abstract Task<IReadOnlyList<Finding>> CheckAsync(
        string folder,
        string? answer,
        CancellationToken cancellationToken
    );

    /// <summary>Whether a complete folder can answer the question. The newest one may belong to another stage.</summary>
    public virtual bool IsAbout(string folder) => true;

    /// <summary>The lines that compare an attempt with the previous one, with causes.</summary>
    public virtual IReadOnlyList<string> Moved(string before, string now) => [];

    /// <exception cref="BadInputException">An answer is missing or unexpected.</exception>
    public void RequireAnswer(string? answer)
    {
        if (answer is null != Answer is null)
        {
            throw new BadInputException(
                answer is null
                    ? $"Say what you found: ./lab {CheckWith}"
                    : $"{Id} takes no --answer: only the run is judged."
            );
        }
    }

    /// <summary>Returns the findings in their order. After a missing condition, the others aren't graded.</summary>
    protected static IReadOnlyList<Finding> Grade(IEnumerable<Finding> all)
    {
        var isJudged = true;
        var findings = new List<Finding>();
        foreach (var it in all)
        {
            findings.Add(
                it with
                {
                    Holds = isJudged ? it.Holds : null,
                    Missing = isJudged && it.Holds == false ? it.Missing : null,
                }
            );
            isJudged &= it.Holds == true;
        }
        return findings;
    }
}

/// <summary>A condition that an attempt must meet.</summary>
/// <param name="Holds"><c>null</c> if the condition isn't graded, for example because an earlier one is missing.</param>
/// <param name="Missing">A sentence that reports the finding or where to look, without the solution.</param>
internal sealed record Finding(string Claim, bool? Holds, string? Missing);
