namespace DroneDelivery.Lab.Workshop;

/// <summary>A question that something played answers, by itself or with a few words about it.</summary>
/// <param name="Id">As typed after <c>lab learn</c>.</param>
/// <param name="BeginWith">What to type after <c>./lab</c> to see the problem.</param>
internal abstract record Exercise(string Id, string Question, string BeginWith)
{
    /// <summary>What has to be said with <c>--answer</c>; null: what was played says it all.</summary>
    public string? Answer { get; init; }

    /// <summary>Where to look, the plainest last.</summary>
    public IReadOnlyList<string> Hints { get; init; } = [];

    public string Because { get; init; } = "";

    /// <summary>What to type after <c>./lab</c> to have an attempt checked.</summary>
    public string CheckWith => $"learn {Id}{(Answer is null ? "" : $" --answer '{Answer}'")}";

    /// <exception cref="LabException">It cannot say anything about the question.</exception>
    public abstract Task<IReadOnlyList<Finding>> CheckAsync(
        string folder,
        string? answer,
        CancellationToken cancellationToken
    );

    /// <summary>Whether a folder that is whole can answer the question: the newest one may be of another stage.</summary>
    public virtual bool IsAbout(string folder) => true;

    /// <summary>What a try changed against the one before, and why; a line each.</summary>
    public virtual IReadOnlyList<string> Moved(string before, string now) => [];

    /// <exception cref="BadInputException">There is no answer, or one too many.</exception>
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

/// <summary>One thing that an attempt has to fulfil.</summary>
/// <param name="Holds">Null: not judged. An exercise says it of an attempt that lacks what comes before it, too.</param>
/// <param name="Missing">Where it does not hold, in a sentence: what was found, or where to look. Never what to do about it.</param>
internal sealed record Finding(string Claim, bool? Holds, string? Missing);
