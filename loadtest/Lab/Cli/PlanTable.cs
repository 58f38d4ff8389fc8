using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Planning;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

/// <summary>Plans as text: one line for each stage, or a sheet for one.</summary>
internal static class PlanTable
{
    /// <summary>Said of figures that a shortened run has less of.</summary>
    public const string OfItsLength = "are those of the run at its length: without --full it is shortened.";

    public static void Write(IAnsiConsole output, IReadOnlyList<PlannedStage> plans)
    {
        if (plans is [var only])
            WriteSheet(output, only);
        else
            WriteLines(output, plans);
        foreach (var sentence in plans.SelectMany(plan => SimulatedSetting.LeftOut(plan.Stage)).Distinct())
            output.WriteLine(sentence);
        if (plans.Any(plan => plan.Stage.K != 1))
            output.WriteLine($"Prefetch, backlog and drain {OfItsLength}");
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
                    "binds",
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
                        Locks(plan, "lost: it collapses"),
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

    /// <summary>A system from a file: it has no stores.</summary>
    public static void Write(IAnsiConsole output, string heading, PlannedSetting plan) =>
        output.Write(
            new Table(heading, ["", "formulas", "simulated"], [.. Rates(plan), .. LocksOf(plan), .. BacklogOf(plan)])
        );

    private static IEnumerable<Cell[]> Rates(PlannedSetting plan)
    {
        var formulas = plan.Formulas;
        yield return ["comes in, all users active", PerSecond(formulas.Incoming), Simulated(plan, "incoming.plateau")];
        yield return
        [
            "completed, all users active",
            PerSecond(formulas.Sustained),
            Simulated(plan, "completed.plateau"),
        ];
        yield return ["what binds", PlanText.Of(formulas.Binds), ""];
        yield return
        [
            "what is next behind it",
            formulas.Next is { } next ? PlanText.Of(next) : "nothing that is known",
            "",
        ];
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
        var lost = plan.LosesLocksSimulated ? $"{Simulated(plan, "lockLost.any")} settlements refused" : "kept";
        yield return ["locks", Locks(plan, "lost, and nothing is completed any more"), lost];
        yield return
        [
            "prefetch: no lock is lost up to",
            NumberText.Of(Math.Floor(formulas.LargestPrefetch)),
            $"it is {NumberText.Of((double)plan.Setting.Handling.Prefetch)}",
        ];
        var typed = NumberText.Of(plan.FullLength.SafePrefetch);
        yield return ["prefetch: recommended up to", $"{NumberText.Of(formulas.SafePrefetch)} (type {typed})", ""];
        yield return
        [
            "prefetch: full buffers collapse above",
            NumberText.Of(Math.Floor(formulas.CollapsePrefetch)),
            "",
        ];
    }

    private static IEnumerable<Cell[]> BacklogOf(PlannedSetting plan)
    {
        var formulas = plan.Formulas;
        var (backlog, drain) = formulas.IsOrderly
            ? (NumberText.Of(Math.Round(formulas.Backlog)), NumberText.Of(formulas.DrainSeconds) + "s")
            : (Unknown(formulas), Unknown(formulas));
        yield return ["backlog when the load ends", backlog, Simulated(plan, "backlog.loadEnd")];
        yield return ["drained after the load in", drain, Simulated(plan, "drain")];
    }

    private static IEnumerable<Cell[]> CacheOf(PlannedStage plan)
    {
        if (plan.Formulas.CacheFullAfterSeconds is { } full)
            yield return ["the cache is full after", NumberText.Of(full) + "s", FirstFull(plan)];
    }

    private static string Unknown(Plan formulas) =>
        formulas.LosesLocks ? "– (locks are lost)" : "– (the cache is full)";

    private static string Locks(PlannedSetting plan, string collapsed) =>
        plan.Formulas.Collapses ? collapsed
        : plan.Formulas.LosesLocks ? "lost"
        : "kept";

    private static string FirstFull(PlannedStage plan) =>
        plan.Simulated.TryGetValue("http.5xx.first", out var share)
            ? NumberText.Of(share.Median * plan.Stage.Profile.DurationSeconds) + "s"
            : "it is not";

    private static string Simulated(PlannedSetting plan, string figure) =>
        plan.Simulated.TryGetValue(figure, out var value)
            ? NumberText.Of(value.Median) + FigureTable.Find(figure).Unit
            : "–";

    private static string PerSecond(double rate) => NumberText.Of(rate) + "/s";
}
