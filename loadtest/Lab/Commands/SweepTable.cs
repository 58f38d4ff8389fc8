using DroneDelivery.Lab.Planning;
using DroneDelivery.Lab.Runs;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary>A sweep as text: bars for one knob, a table of rates for two.</summary>
internal static class SweepTable
{
    private const int LongestBar = 40;

    public static void Write(IAnsiConsole output, Sweep sweep)
    {
        output.Write(sweep.IsMap ? Map(sweep) : Curve(sweep));
        foreach (var sentence in sweep.Says)
            output.WriteLine(sentence);
        foreach (var why in sweep.Points.Select(point => point.Refused).OfType<string>().Take(1))
            output.WriteLine($"Where nothing stands the knobs do not fit together. The first: {why}");
        if (sweep.Stage.K != 1)
            output.WriteLine($"Backlog and locks lost {PlanTable.OfItsLength}");
    }

    private static Table Curve(Sweep sweep)
    {
        var table = New(sweep, sweep.Ranges[0].Knob.Name, "simulated", "", "formula", "locks lost", "backlog", "a month", "");
        var highest = sweep.Points.Select(point => point.Rate).Where(double.IsFinite).DefaultIfEmpty(1).Max();
        var marks = sweep.Edges().Select(edge => edge.After).ToHashSet();
        for (var i = 0; i < sweep.Points.Count; i++)
        {
            var mark = marks.Contains(i) ? "◀ cliff" : sweep.Knee == i ? "◀ grows no more" : "";
            table.AddRow([.. Cells(sweep, i, highest).Append(mark).Select(Markup.Escape)]);
        }

        return table;
    }

    private static IEnumerable<string> Cells(Sweep sweep, int i, double highest) => sweep.Points[i] switch
    {
        { Refused: not null } => [sweep.Show(0, i), "–", "", "–", "–", "–", "–"],
        var point =>
        [
            sweep.Show(0, i),
            NumberText.Of(point.Rate) + "/s",
            new string(point.LosesLocks ? '░' : '█', (int)Math.Round(LongestBar * point.Rate / Math.Max(1e-9, highest))),
            NumberText.Of(point.ByFormula) + "/s",
            NumberText.Of(point.LocksLost),
            NumberText.Of(Math.Round(point.Backlog)),
            NumberText.Of(Math.Round(point.CostPerMonth)),
        ],
    };

    private static Table Map(Sweep sweep)
    {
        var (columns, rows) = (sweep.Ranges[0], sweep.Ranges[1]);
        var head = columns.Values.Index().Select(column => sweep.Show(0, column.Index));
        var table = New(sweep, [$"{rows.Knob.Name} ↓ {columns.Knob.Name} →", .. head]);
        foreach (var row in Enumerable.Range(0, rows.Values.Count))
        {
            var cells = Enumerable.Range(0, columns.Values.Count).Select(column => sweep.At(column, row)).Select(Cell);
            table.AddRow([.. cells.Prepend(sweep.Show(1, row)).Select(Markup.Escape)]);
        }

        table.Caption(Markup.Escape("deliveries/s, simulated; ×: locks are lost; –: cannot be"));
        return table;
    }

    private static string Cell(SweepPoint point) =>
        point.Refused is not null ? "–" : NumberText.Of(point.Rate) + (point.LosesLocks ? " ×" : "");

    private static Table New(Sweep sweep, params IReadOnlyList<string> columns) =>
        new Table().Border(TableBorder.Rounded)
            .Title(Markup.Escape($"Stage {sweep.Stage.Stage.Id}: {sweep.Stage.Stage.Title}"))
            .AddColumns([.. columns.Select(Markup.Escape)]);
}
