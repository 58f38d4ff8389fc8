using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Predict;
using static DroneDelivery.Lab.Report.StageFacts;

namespace DroneDelivery.Lab.Cli;

/// <summary>A setting played in the lab.</summary>
/// <param name="Figures">Null: it says nothing, see <paramref name="Void"/>.</param>
/// <param name="Void">Why the measurement does not count; null: it does.</param>
internal sealed record LabTrial(
    IReadOnlyDictionary<string, double>? Figures,
    IReadOnlyList<string> Misses,
    string? Void,
    string Folder
)
{
    // A drain that did not come is none of them: it says that the queue did not become empty.
    private static readonly string[] Needed =
    [
        "incoming.plateau",
        "completed.plateau",
        "redelivered",
        "deadLettered.final",
        "http.5xx",
    ];

    public bool Holds => Figures is not null && Misses.Count == 0;

    public static LabTrial Of(RunRecord record, Goal goal, string folder)
    {
        var stage = record.Stages[0];
        if (stage.Outcome is Outcomes.Void or Outcomes.Incomplete)
            return new(null, [], stage.Reason ?? stage.Outcome, folder);
        if (Array.Find(Needed, figure => !double.IsFinite(Figure(stage, figure))) is { } missing)
            return new(null, [], $"{missing} is not known.", folder);
        var figures = Goal.FiguresOf(figure => Figure(stage, figure), record.K);
        return new(figures, goal.MissesOf(figures), null, folder);
    }
}
