using DroneDelivery.Lab.Judge;

namespace DroneDelivery.Lab.Workshop;

/// <summary>A question that something played answers, by itself or with a few words about it.</summary>
/// <param name="Id">As typed after <c>lab learn</c>.</param>
/// <param name="BeginWith">What to type after <c>./lab</c> to see the problem.</param>
/// <param name="MayTurn">Knobs that may have been turned; with any other it answers another question.</param>
internal abstract record Exercise(string Id, string Question, string BeginWith, IReadOnlyList<string> MayTurn)
{
    /// <summary>What has to be said with <c>--answer</c>; null: what was played says it all.</summary>
    public string? Answer { get; init; }

    /// <summary>Where to look, the plainest last.</summary>
    public IReadOnlyList<string> Hints { get; init; } = [];

    public string Because { get; init; } = "";

    /// <summary>What to type after <c>./lab</c> to have an attempt checked.</summary>
    public string CheckWith => $"learn {Id}{(Answer is null ? "" : $" --answer '{Answer}'")}";

    /// <param name="name">Its folder, or a part of its name; null: the newest.</param>
    /// <exception cref="BadInputException">There is none, or there are several.</exception>
    public abstract string Find(string? name);

    /// <exception cref="LabException">It cannot say anything about the question.</exception>
    public abstract Task<IReadOnlyList<Finding>> CheckAsync(
        string folder,
        string? answer,
        CancellationToken cancellationToken
    );

    /// <summary>Whether a folder has all that is judged: what is being played, or was killed, has not.</summary>
    public virtual bool IsWhole(string folder) =>
        File.Exists(Path.Combine(folder, RunFolder.FileName)) && !RunFolder.IsPlayed(folder);

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

    /// <summary>Every finding in its order. One that comes after one that is missing is not judged: it would mean nothing.</summary>
    /// <param name="turned">Knobs, whether they may be or not; null: none can be.</param>
    /// <param name="instead">What to do where none may be turned.</param>
    protected IReadOnlyList<Finding> Look(
        IEnumerable<Finding> all,
        IEnumerable<string>? turned = null,
        string instead = ""
    )
    {
        var others = (turned ?? []).Except(MayTurn).ToList();
        var only = MayTurn.Count == 0 ? instead : $"This is about {string.Join(", ", MayTurn)} alone.";
        var turnedToo = new Finding(
            "nothing was turned that has to stay",
            others.Count == 0,
            $"{string.Join(", ", others)} was turned too. {only}"
        );
        var isJudged = true;
        var findings = new List<Finding>();
        foreach (var it in all.Prepend(turnedToo))
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
