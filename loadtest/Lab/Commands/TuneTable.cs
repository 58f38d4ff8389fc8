using System.Globalization;
using DroneDelivery.Lab.Planning;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Tuning;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary>What a search found, for people.</summary>
internal static class TuneTable
{
    public static void Write(Outlet outlet, Tuned tuned, TuneArguments arguments)
    {
        var output = outlet.Screen;
        var (budget, rate) = (tuned.Setup.Budget, tuned.Goal.Rate);
        output.WriteLine($"Goal: {tuned.Goal}{MostOf(budget)}.");
        if (tuned.Found is not { } found)
        {
            output.WriteLine($"{(tuned.IsPossible is null ? "Nothing was found." : "Nothing meets it.")} {tuned.Because}");
            if (tuned.Cost is not null)
                output.WriteLine(CostText.Footnote(budget.Prices, rate));
            return;
        }

        output.Write(SettingOf(tuned, found));
        output.WriteLine($"It costs {CostText.Of(tuned.Cost!)} a month: {CostText.Parts(tuned.Cost!)}.");
        output.WriteLine($"Predicted: {Said(tuned.Judgement!.Trial)}. {BindsOf(tuned)}");
        output.WriteLine(
            Text($"Recommended prefetch: up to {tuned.SafePrefetch:#,0} (half of what a lock allows, or one message for each handler)."));
        output.Write(CheaperOf(tuned));
        output.WriteLine(CostText.Footnote(budget.Prices, rate));
        outlet.Text.WriteLine($"Play it: {PlayLine.Of(tuned, found, arguments)}"); // in one line, to be copied
        if (tuned.Goal.DrainSeconds is not null)
            output.WriteLine("A run of the stage observes it no longer than before; --verify waits until the queue is empty.");
        output.WriteLine(Text($"{tuned.Simulations} simulations, shortened by {tuned.Setup.Start.K}.")
            + (tuned.IsExhausted ? " The search ended at its limit: something cheaper may hold." : ""));
    }

    /// <summary>Predicted beside measured.</summary>
    public static void WriteFound(IAnsiConsole output, Tuned tuned, LabTrial lab)
    {
        if (lab.Trial is not { } measured)
        {
            output.WriteLine($"The lab cannot tell: {lab.Void}");
            return;
        }

        var predicted = tuned.Judgement!.Trial;
        var table = new Table().Border(TableBorder.Rounded).AddColumns("figure", "predicted", "measured");
        void Add(string figure, Func<Trial, double> of, string unit) =>
            table.AddRow(figure, NumberText.Of(of(predicted)) + unit, NumberText.Of(of(measured)) + unit);
        Add("incoming.plateau", trial => trial.Incoming, "/s");
        Add("completed.plateau", trial => trial.Completed, "/s");
        Add("redelivered", trial => trial.Redelivered, "");
        Add("deadLettered.final", trial => trial.DeadLettered, "");
        Add("http.5xx", trial => trial.Errors, "");
        Add("drain at full length", trial => trial.DrainSeconds, "s");
        Add("node.busiest", trial => trial.BusiestNode, " %");
        output.Write(table);
        output.WriteLine(lab.Holds ? "It holds in the lab." : $"It fails in the lab: {Said(lab.Misses)}.");
    }

    public static void WriteNext(IAnsiConsole output, Cheaper cheaper, LabTrial lab) => output.WriteLine(
        lab.Trial is null ? $"Next cheaper ({cheaper.Change}): the lab cannot tell: {lab.Void}"
        : lab.Fails ? $"Next cheaper ({cheaper.Change}) fails in the lab, too: {Said(lab.Misses)}. Predicted: {cheaper.Why}."
        : $"Next cheaper ({cheaper.Change}) holds in the lab, and the model says: {cheaper.Why}.");

    private static Table SettingOf(Tuned tuned, Candidate found)
    {
        var table = new Table().Border(TableBorder.Rounded).AddColumns("knob", $"stage {tuned.Setup.Start.Stage.Id}", "cheapest setting");
        foreach (var (knob, value) in found.Knobs.All)
        {
            var before = tuned.Setup.Start.Stage.Knobs[knob.Name];
            table.AddRow(knob.Name, before is null ? "default" : knob.Show(before), knob.Show(value));
        }

        return table;
    }

    private static Table CheaperOf(Tuned tuned)
    {
        var table = new Table().Border(TableBorder.Rounded).AddColumns(
            "what would be cheaper", $"{tuned.Cost!.Currency} a month", "why it is not enough", "tightest limit");
        table.Columns[1].RightAligned();
        foreach (var it in tuned.Cheaper)
        {
            table.AddRow(
                it.Change, CostText.Amount(it.PerMonth), Markup.Escape(it.Why),
                Markup.Escape(Text($"{it.Binds.What}: {it.Binds.Rate:0.0}/s")));
        }

        return table;
    }

    private static string MostOf(Budget budget) =>
        budget.MostPerMonth is { } most ? Text($", for at most {most:0.##} {budget.Prices.Currency} a month") : "";

    private static string BindsOf(Tuned tuned) =>
        Text($"Tightest limit: {tuned.Binds!.What}, {tuned.Binds.Rate:0.0}/s.");

    private static string Said(Trial trial) => Text(
        $"{trial.Completed:0.0}/s completed, {trial.Redelivered:0} messages handed out again, {trial.DeadLettered:0} dead-lettered, ")
        + (double.IsFinite(trial.DrainSeconds) ? Text($"empty {trial.DrainSeconds:0} s after the load, ") : "not empty after the load, ")
        + Text($"busiest node {trial.BusiestNode:0} %");

    /// <summary>What of --verify-next could not be done; null: it was, or nobody asked.</summary>
    public const string NothingToPlay = "No cheaper setting fails for sure in the model: there is nothing to play.";

    private static string Said(IEnumerable<Miss> misses) => string.Join("; ", misses.Select(miss => miss.Text));

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
