using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Planning;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

/// <summary>Prints plans: one line per stage, or the details of one stage.</summary>
internal static class PlanTable
{
    /// <summary>The note for values that are lower in a scaled-down run.</summary>
    public const string ScaleNote = "are for the scaled run. Add --full for full scale.";

    public static void Write(IAnsiConsole output, IReadOnlyList<PlannedStage> plans)
    {
        if (plans is [var only])
            WriteSheet(output, only);
        else
            WriteLines(output, plans);
        foreach (var sentence in plans.SelectMany(plan => SimulatedSetting.NotSimulated(plan.Stage)).Distinct())
            output.WriteLine(sentence);
        if (plans.Any(plan => plan.Stage.K != 1))
            output.WriteLine($"Prefetch, backlog and drain {ScaleNote}");
    }

    private static void WriteLines(IAnsiConsole output, IEnumerable<PlannedStage> plans) =>
        output.Write(
            Table.Of(
                "",
                [
                    "stage",
                    "incoming#",
                    "rate#",
                    "simulated#",
                    "bottleneck",
                    "next",
                    "safe prefetch#",
                    "locks",
                    "backlog#",
                    "drain#",
                ],
                plans,
                plan =>
                    [
                        plan.Stage.Stage.Id,
                        PerSecond(plan.Formulas.Incoming),
                        PerSecond(plan.Formulas.Sustained),
                        Simulated(plan, "completed.plateau"),
                        PlanText.Short(plan.Formulas.Binds),
                        plan.Formulas.Next is { } next ? PlanText.Short(next) : "",
                        $"≤ {NumberText.Of(plan.Formulas.SafePrefetch)}",
                        Locks(plan, "lost: collapse"),
                        plan.Formulas.IsOrderly ? NumberText.Of(Math.Round(plan.Formulas.Backlog)) : "–",
                        plan.Formulas.IsOrderly ? NumberText.Of(plan.Formulas.DrainSeconds) + "s" : "–",
                    ]
            )
        );

    private static void WriteSheet(IAnsiConsole output, PlannedStage plan)
    {
        output.Write(
            new Table(
                $"Stage {plan.Stage.Stage.Id}: {plan.Stage.Stage.Title}",
                ["", "formulas", "simulated"],
                [.. Rates(plan), .. LocksOf(plan), .. BacklogOf(plan), .. CacheOf(plan)]
            )
        );
    }

    public static void Write(IAnsiConsole output, string heading, PlannedSetting plan) =>
        output.Write(
            new Table(heading, ["", "formulas", "simulated"], [.. Rates(plan), .. LocksOf(plan), .. BacklogOf(plan)])
        );

    private static IEnumerable<Cell[]> Rates(PlannedSetting plan)
    {
        var formulas = plan.Formulas;
        yield return ["incoming, full load", PerSecond(formulas.Incoming), Simulated(plan, "incoming.plateau")];
        yield return ["completed, full load", PerSecond(formulas.Sustained), Simulated(plan, "completed.plateau")];
        yield return ["bottleneck", PlanText.Of(formulas.Binds), ""];
        yield return ["next bottleneck", formulas.Next is { } next ? PlanText.Of(next) : "none known", ""];
        yield return
        [
            "busiest node",
            $"{NumberText.Of(formulas.BusiestNode * 100)} %",
            Simulated(plan, "node.busiest"),
        ];
    }

    private static IEnumerable<Cell[]> LocksOf(PlannedSetting plan)
    {
        var formulas = plan.Formulas;
        var lost = plan.LosesLocksSimulated ? $"{Simulated(plan, "lockLost.any")} settlements rejected" : "kept";
        yield return ["locks", Locks(plan, "lost; completions stop"), lost];
        yield return
        [
            "largest prefetch without lost locks",
            NumberText.Of(Math.Floor(formulas.LargestPrefetch)),
            $"configured: {NumberText.Of((double)plan.Setting.Handling.Prefetch)}",
        ];
        var typed = NumberText.Of(plan.FullLength.SafePrefetch);
        yield return ["largest recommended prefetch", $"{NumberText.Of(formulas.SafePrefetch)} (enter {typed})", ""];
        yield return ["largest prefetch without collapse", NumberText.Of(Math.Floor(formulas.CollapsePrefetch)), ""];
    }

    private static IEnumerable<Cell[]> BacklogOf(PlannedSetting plan)
    {
        var formulas = plan.Formulas;
        var (backlog, drain) = formulas.IsOrderly
            ? (NumberText.Of(Math.Round(formulas.Backlog)), NumberText.Of(formulas.DrainSeconds) + "s")
            : (Unknown(formulas), Unknown(formulas));
        yield return ["backlog at the end of the load", backlog, Simulated(plan, "backlog.loadEnd")];
        yield return ["time to drain the queue", drain, Simulated(plan, "drain")];
    }

    private static IEnumerable<Cell[]> CacheOf(PlannedStage plan)
    {
        if (plan.Formulas.CacheFullAfterSeconds is { } full)
            yield return ["the cache is full after", NumberText.Of(full) + "s", FirstFull(plan)];
    }

    private static string Unknown(Plan formulas) => formulas.LosesLocks ? "– (locks expire)" : "– (the cache is full)";

    private static string Locks(PlannedSetting plan, string collapsed) =>
        plan.Formulas.Collapses ? collapsed
        : plan.Formulas.LosesLocks ? "lost"
        : "kept";

    private static string FirstFull(PlannedStage plan) =>
        plan.Simulated.TryGetValue("http.5xx.first", out var share)
            ? NumberText.Of(share.Median * plan.Stage.Profile.DurationSeconds) + "s"
            : "never";

    private static string Simulated(PlannedSetting plan, string figure) =>
        plan.Simulated.TryGetValue(figure, out var value)
            ? NumberText.Of(value.Median) + FigureTable.Find(figure).Unit
            : "–";

    private static string PerSecond(double rate) => NumberText.Of(rate) + "/s";
}
