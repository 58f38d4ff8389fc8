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
        output.WriteLine($"{CheckRecord.CountOf([.. records.SelectMany(record => record.Checks)])} Report: {report}");
    }

    private static void Write(IAnsiConsole output, ExperimentRecord record)
    {
        var experiment = Experiment.Load(record.Name);
        output.WriteLine($"{experiment.Name}: {experiment.Question}");
        foreach (var variant in record.Variants)
            foreach (var table in variant.Exhibits.Tables)
                output.Write(Of(table));
        output.Write(Checks(record, experiment));
        foreach (var check in record.Checks.Where(check => check.Holds == false))
            output.WriteLine(record.Changed.Count > 0
                ? $"{check.Id} does not hold with what was changed."
                : $"{check.Id} fails: {check.Why}.");
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
                experiment.FigureOf(check.Figure).Arm == Arm.Real ? "real" : "emulated",
                Markup.Escape(check.Article),
                NumberText.Of(check.Measured) + check.Unit,
                check.Band,
                check.Holds == true ? "[green]holds[/]" : "[red]fails[/]");
        }

        return table;
    }
}
