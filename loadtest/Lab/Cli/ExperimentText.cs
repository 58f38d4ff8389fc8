using DroneDelivery.Lab.Experiments;
using DroneDelivery.Lab.Judge;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

/// <summary>Experiments on a terminal: what was measured, what was judged, and one last line.</summary>
internal static class ExperimentText
{
    public static void Write(IAnsiConsole output, IReadOnlyList<ExperimentRecord> records, string report)
    {
        foreach (var record in records)
            Write(output, record);
        var counted = CheckRecord.CountOf([.. records.SelectMany(record => record.Checks)]);
        output.WriteLine($"{counted}{SaysLeftOut(records.Sum(record => record.LeftOut.Count))} Report: {report}");
    }

    private static string SaysLeftOut(int variants) =>
        variants == 0 ? "" : $" {variants} variant{(variants == 1 ? " was" : "s were")} left out.";

    public static void Write(IAnsiConsole output, ExperimentComparison comparison)
    {
        foreach (var caveat in comparison.Caveats)
            output.WriteLine(caveat);
        Write(output, ExperimentTables.Knobs(comparison.Knobs), ExperimentTables.Figures(comparison.Figures));
        output.WriteLine($"{comparison.Figures.Count} figures differ, {comparison.Same} are the same (real: within noise).");
    }

    /// <summary>What differs between two of a kind.</summary>
    public static void Write(IAnsiConsole output, Table knobs, Table figures)
    {
        if (knobs.Rows.Count == 0)
            output.WriteLine("All knobs are the same.");
        else
            output.WriteList(knobs);
        if (figures.Rows.Count > 0)
            output.WriteList(figures);
    }

    private static void Write(IAnsiConsole output, ExperimentRecord record)
    {
        var experiment = Experiment.Load(record.Name);
        output.WriteLine($"{experiment.Name}: {experiment.Question}");
        foreach (var table in record.Variants.SelectMany(variant => variant.Exhibits.Tables))
            output.WriteList(ExperimentTables.Of(table));
        output.Write(ExperimentTables.Checks(record));
        foreach (var it in record.LeftOut)
            output.WriteLine($"{record.Name}, {it.Variant}, was left out: {it.Reason}");
        foreach (var check in record.Checks.Where(check => check.Holds == false))
        {
            output.WriteLine(record.Changed.Count > 0
                ? $"{check.Id} does not hold with the changed settings."
                : $"{check.Id} fails: {check.Why}.");
        }
    }
}
