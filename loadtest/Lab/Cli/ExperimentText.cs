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
