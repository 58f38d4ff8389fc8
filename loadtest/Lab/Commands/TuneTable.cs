using System.Globalization;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Tuning;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary>What a search found, for people.</summary>
internal static class TuneTable
{
    public static void Write(Outlet outlet, Tuned tuned)
    {
        var output = outlet.Screen;
        output.WriteLine($"Goal: {tuned.Goal}.");
        if (tuned.Found is not { } found)
        {
            output.WriteLine($"Nothing meets it. {tuned.Impossible}");
            return;
        }

        output.Write(SettingOf(tuned, found));
        output.WriteLine($"Predicted: {Said(tuned.Judgement!.Trial)}. {BindsOf(tuned)}");
        output.WriteLine(Text($"No lock is lost with a prefetch of up to {tuned.SafePrefetch:#,0}, whatever waits in the queue."));
        output.Write(CheaperOf(tuned));
        outlet.Text.WriteLine($"Play it: {Command(tuned, found)}"); // in one line, to be copied
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
        var table = new Table().Border(TableBorder.Rounded).AddColumns("what would be cheaper", "why it is not enough", "tightest limit");
        foreach (var it in tuned.Cheaper)
            table.AddRow(it.Change, Markup.Escape(it.Why), Markup.Escape(Text($"{it.Binds.What}: {it.Binds.Rate:0.0}/s")));
        return table;
    }

    private static string BindsOf(Tuned tuned) =>
        Text($"Tightest limit: {tuned.Binds!.What}, {tuned.Binds.Rate:0.0}/s.");

    private static string Said(Trial trial) => Text(
        $"{trial.Completed:0.0}/s completed, {trial.Redelivered:0} messages handed out again, {trial.DeadLettered:0} dead-lettered, ")
        + (double.IsFinite(trial.DrainSeconds) ? Text($"empty {trial.DrainSeconds:0} s after the load, ") : "not empty after the load, ")
        + Text($"busiest node {trial.BusiestNode:0} %");

    private static string Said(IEnumerable<Miss> misses) => string.Join("; ", misses.Select(miss => miss.Text));

    private static string Command(Tuned tuned, Candidate found) => $"./lab run {tuned.Setup.Start.Stage.Id} "
        + string.Join(' ', found.Knobs.With(tuned.Setup.Fixed).All.Select(set => $"--set {set.Knob.Name}={set.Knob.Show(set.Value)}"));

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
