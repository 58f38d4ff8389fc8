using DroneDelivery.Lab.Experiments;
using DroneDelivery.Lab.Runs;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary>Experiments on a terminal: what was measured, what was judged, and one last line.</summary>
internal static class ExperimentTables
{
    public static void Write(IAnsiConsole output, IReadOnlyList<ExperimentRecord> records, string report)
    {
        foreach (var record in records)
            Write(output, record);
        var counted = CheckRecord.CountOf([.. records.SelectMany(record => record.Checks)]);
        output.WriteLine($"{counted}{SaysLeftOut(records.Sum(record => record.LeftOut.Count))} Report: {report}");
    }

    private static string SaysLeftOut(int variants) => variants switch
    {
        0 => "",
        1 => " 1 variant was left out.",
        _ => $" {variants} variants were left out.",
    };

    public static void Write(IAnsiConsole output, ExperimentComparison comparison)
    {
        foreach (var caveat in comparison.Caveats)
            output.WriteLine(caveat);
        var knobs = new Table().Border(TableBorder.Simple).AddColumns("experiment", "variant", "knob", "first", "second");
        foreach (var it in comparison.Knobs)
            knobs.AddRow(it.Experiment, it.Variant, it.Knob, KnobText(it.First), KnobText(it.Second));
        if (comparison.Knobs.Count == 0)
            output.WriteLine("All knobs are the same.");
        else
            output.Write(knobs);
        if (comparison.Figures.Count > 0)
            output.Write(Of(comparison.Figures));
        output.WriteLine($"{comparison.Figures.Count} figures differ, {comparison.Same} are the same (real: within noise).");
    }

    private static Table Of(IReadOnlyList<ExperimentFigureDifference> figures)
    {
        var table = new Table().Border(TableBorder.Simple)
            .AddColumns("experiment", "figure", "arm", "first", "second", "difference", "noise");
        foreach (var it in figures)
        {
            table.AddRow(
                it.Experiment, it.Figure, ExperimentReport.ArmOf(it.Arm),
                NumberText.Of(it.First) + it.Unit, NumberText.Of(it.Second) + it.Unit,
                it.Share is { } share ? $"{share:+0.0 %;-0.0 %}" : "", it.NoiseText);
        }
        return table;
    }

    private static string KnobText(double? value) => value is { } number ? $"{number}" : "";

    private static void Write(IAnsiConsole output, ExperimentRecord record)
    {
        var experiment = Experiment.Load(record.Name);
        output.WriteLine($"{experiment.Name}: {experiment.Question}");
        foreach (var variant in record.Variants)
        {
            foreach (var table in variant.Exhibits.Tables)
                output.Write(Of(table));
        }
        output.Write(Checks(record, experiment));
        foreach (var it in record.LeftOut)
            output.WriteLine($"{record.Name}, {it.Variant}, was left out: {it.Reason}");
        foreach (var check in record.Checks.Where(check => check.Holds == false))
        {
            output.WriteLine(record.Changed.Count > 0
                ? $"{check.Id} does not hold with the changed settings."
                : $"{check.Id} fails: {check.Why}.");
        }
    }

    private static Table Of(ExperimentTable from)
    {
        var table = new Table().Border(TableBorder.Simple).Title(Markup.Escape(from.Title));
        foreach (var head in from.Head)
        {
            var column = new TableColumn(Markup.Escape(head.TrimEnd('#')));
            table.AddColumn(head.EndsWith('#') ? column.RightAligned() : column);
        }

        foreach (var row in from.Rows)
            table.AddRow([.. row.Select(Markup.Escape)]);
        return table;
    }

    private static Table Checks(ExperimentRecord record, Experiment experiment)
    {
        var table = new Table().Border(TableBorder.Rounded).Title(Markup.Escape(experiment.Title))
            .AddColumns("", "check", "arm", "article", "measured", "band", "verdict");
        foreach (var check in record.Checks.Where(check => check.Holds is not null))
        {
            table.AddRow(
                check.Id,
                Markup.Escape(check.Claim),
                ExperimentReport.ArmOf(experiment.FigureOf(check.Figure).Arm),
                Markup.Escape(check.Article),
                NumberText.Of(check.Measured) + check.Unit,
                check.Band,
                check.Holds == true ? "[green]holds[/]" : "[red]fails[/]");
        }

        return table;
    }
}
