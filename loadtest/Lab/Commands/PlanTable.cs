using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Planning;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Simulations;
using DroneDelivery.Simulation.Planning;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

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

    private static void WriteLines(IAnsiConsole output, IEnumerable<PlannedStage> plans)
    {
        var table = new Table().Border(TableBorder.Rounded).AddColumns(
            "stage", "incoming", "rate", "simulated", "binds", "next", "safe prefetch", "locks", "backlog", "drain", "a month");
        foreach (var plan in plans)
        {
            var formulas = plan.Formulas;
            AddRow(
                table,
                plan.Stage.Stage.Id,
                PerSecond(formulas.Incoming),
                PerSecond(formulas.Sustained),
                Simulated(plan, "completed.plateau"),
                PlanText.Short(formulas.Binds),
                formulas.Next is { } next ? PlanText.Short(next) : "",
                $"≤ {NumberText.Of(formulas.SafePrefetch)}",
                Locks(plan),
                formulas.IsOrderly ? NumberText.Of(Math.Round(formulas.Backlog)) : "–",
                formulas.IsOrderly ? NumberText.Of(formulas.DrainSeconds) + "s" : "–",
                CostText.Of(plan.Cost));
        }

        output.Write(table);
    }

    private static void WriteSheet(IAnsiConsole output, PlannedStage plan)
    {
        var formulas = plan.Formulas;
        var table = new Table().Border(TableBorder.Rounded).AddColumns("", "formulas", "simulated")
            .Title(Markup.Escape($"Stage {plan.Stage.Stage.Id}: {plan.Stage.Stage.Title}"));
        AddRow(table, "comes in, all users active", PerSecond(formulas.Incoming), Simulated(plan, "incoming.plateau"));
        AddRow(table, "completed, all users active", PerSecond(formulas.Sustained), Simulated(plan, "completed.plateau"));
        AddRow(table, "what binds", PlanText.Of(formulas.Binds), "");
        AddRow(table, "what is next behind it", formulas.Next is { } next ? PlanText.Of(next) : "nothing that is known", "");
        AddRow(table, "busiest node", $"{NumberText.Of(formulas.BusiestNode * 100)} %", Simulated(plan, "node.busiest"));
        AddLocks(table, plan);
        AddBacklog(table, plan);
        AddAnswers(table, plan);
        AddRow(table, "memory of Redis, full length", $"{NumberText.Of(plan.Redis / (1 << 20))} MiB", "");
        output.Write(table);
        WriteCost(output, plan);
    }

    private static void AddLocks(Table table, PlannedStage plan)
    {
        var formulas = plan.Formulas;
        AddRow(
            table,
            "locks",
            LocksByFormula(plan),
            plan.LosesLocksSimulated ? $"{Simulated(plan, "lockLost.any")} settlements refused" : "kept");
        AddRow(
            table,
            "prefetch: no lock is lost up to",
            NumberText.Of(Math.Floor(formulas.LargestPrefetch)),
            $"it is {NumberText.Of((double)plan.Setting.Handling.Prefetch)}");
        var typed = NumberText.Of(plan.FullLength.SafePrefetch);
        AddRow(table, "prefetch: recommended up to", $"{NumberText.Of(formulas.SafePrefetch)} (type {typed})", "");
        AddRow(table, "prefetch: full buffers collapse above", NumberText.Of(Math.Floor(formulas.CollapsePrefetch)), "");
    }

    private static void AddBacklog(Table table, PlannedStage plan)
    {
        var formulas = plan.Formulas;
        AddRow(
            table,
            "backlog when the load ends",
            formulas.IsOrderly ? NumberText.Of(Math.Round(formulas.Backlog)) : Unknown(formulas),
            Simulated(plan, "backlog.loadEnd"));
        AddRow(
            table,
            "drained after the load in",
            formulas.IsOrderly ? NumberText.Of(formulas.DrainSeconds) + "s" : Unknown(formulas),
            Simulated(plan, "drain"));
    }

    private static void AddAnswers(Table table, PlannedStage plan)
    {
        if (plan.Formulas.CacheFullAfterSeconds is { } full)
            AddRow(table, "the cache is full after", NumberText.Of(full) + "s", FirstFull(plan));
        if (plan.AfterBurst is { } burst)
        {
            var gone = double.IsFinite(burst.Seconds) ? NumberText.Of(burst.Seconds) + "s" : "never: more comes in than can be completed";
            AddRow(table, $"{NumberText.Of(plan.Questions.Burst)} messages at once are gone after", gone, "");
            AddRow(table, "their locks", burst.LosesLocks ? $"lost: the last waits {NumberText.Of(burst.WaitSeconds)}s" : "kept", "");
        }

        if (plan.Wanted is { } wanted)
            AddRow(table, $"for {PerSecond(plan.Questions.Target!.Value)}", LayoutText(plan.Questions.Target.Value, wanted), "");
    }

    /// <summary>What completes a target, or what makes it impossible.</summary>
    public static string LayoutText(double target, (TargetLayout? Layout, Limit Binds) wanted) =>
        wanted.Layout is { } layout
            ? $"{layout.Nodes} nodes, replicas {string.Join(", ", layout.Replicas.Select(it => $"{it.Key} {it.Value}"))}: "
                + (double.IsFinite(layout.Rate) ? $"{NumberText.Of(layout.Rate)}/s" : "nothing is known that limits them")
            : $"impossible with {TargetLayout.MostNodes} nodes and {TargetLayout.MostReplicas} replicas of each service: "
                + $"{PlanText.Of(wanted.Binds)}, and {NumberText.Of(target)}/s are wanted";

    private static void WriteCost(IAnsiConsole output, PlannedStage plan)
    {
        var table = new Table().Border(TableBorder.Rounded).AddColumns("part", "what", $"{plan.Cost.Currency} a month");
        table.Columns[2].RightAligned();
        foreach (var line in plan.Cost.Lines)
            AddRow(table, line.Part, line.What, CostText.Amount(line.PerMonth));
        AddRow(table, "together", "", CostText.Amount(plan.Cost.PerMonth));
        output.Write(table);
        output.WriteLine(CostText.Footnote(plan.Questions.Prices, plan.Formulas.Incoming));
    }

    private static string Unknown(Plan formulas) => formulas.LosesLocks ? "– (locks are lost)" : "– (the cache is full)";

    private static string LocksByFormula(PlannedStage plan) =>
        plan.Formulas.Collapses ? "lost, and nothing is completed any more" : plan.Formulas.LosesLocks ? "lost" : "kept";

    private static string Locks(PlannedStage plan) =>
        plan.Formulas.Collapses ? "lost: it collapses" : plan.Formulas.LosesLocks ? "lost" : "kept";

    private static string FirstFull(PlannedStage plan) => plan.Simulated.TryGetValue("http.5xx.first", out var share)
        ? NumberText.Of(share.Median * plan.Stage.Profile.DurationSeconds) + "s"
        : "it is not";

    private static string Simulated(PlannedStage plan, string figure) =>
        plan.Simulated.TryGetValue(figure, out var value) ? NumberText.Of(value.Median) + FigureTable.Find(figure).Unit : "–";

    private static string PerSecond(double rate) => NumberText.Of(rate) + "/s";

    private static void AddRow(Table table, params IEnumerable<string> cells) => table.AddRow([.. cells.Select(Markup.Escape)]);
}
