using DroneDelivery.Lab.Predict;

namespace DroneDelivery.Lab.Cli;

internal static class TuneJson
{
    public static string Of(Tuned tuned, LabTrial? lab, LabTrial? next) =>
        PrintedJson.Of(
            new
            {
                tuned.Goal,
                MaxCost = tuned.Setup.Budget.MostPerMonth,
                Possible = tuned.IsPossible,
                tuned.Because,
                Setting = tuned.Found is { } found ? KnobsOf(found, tuned.Setup) : null,
                Cost = tuned.Found is null ? null : CostOf(tuned),
                TooDear = tuned.Dear is { } dear
                    ? new { Setting = KnobsOf(dear, tuned.Setup), Cost = CostOf(tuned) }
                    : null,
                Predicted = tuned.Judgment?.Trial,
                tuned.Binds,
                SafePrefetch = tuned.Found is null ? (double?)null : tuned.SafePrefetch,
                Cheaper = tuned.Cheaper.Select(it => new
                {
                    it.Change,
                    Setting = KnobsOf(it.Candidate, tuned.Setup),
                    PerMonth = Math.Round(it.PerMonth),
                    it.Judgment.Answer,
                    it.Why,
                    it.Judgment.Misses,
                    it.Judgment.Trial,
                    it.Binds,
                }),
                tuned.Simulations,
                tuned.IsExhausted,
                Lab = lab,
                LabNext = next,
            }
        );

    public static string Of(Goal goal, TunedSystem tuned) =>
        PrintedJson.Of(
            new
            {
                Goal = goal,
                Possible = tuned.Found is not null,
                Setting = tuned.Found is { } found
                    ? SystemFields.Of(found).ToDictionary(field => field, found.Number)
                    : null,
                Predicted = tuned.Judgment.Trial,
                tuned.Judgment.Why,
                tuned.Binds,
                Cheaper = tuned.Cheaper.Select(it => new { it.Change, it.Why }),
                tuned.Simulations,
            }
        );

    private static object? CostOf(Tuned tuned) =>
        tuned.Cost is { } cost ? CostText.Json(cost, tuned.Setup.Budget.Prices) : null;

    private static Dictionary<string, string> KnobsOf(Candidate candidate, TuneSetup setup) =>
        candidate.Knobs.With(setup.Fixed).All.ToDictionary(set => set.Knob.Name, set => set.Knob.Show(set.Value));
}
