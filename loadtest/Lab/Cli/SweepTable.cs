using DroneDelivery.Lab.Predict;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

/// <summary>A sweep as text: bars for one knob, a table of rates for two.</summary>
internal static class SweepTable
{
    private const int LongestBar = 40;

    public static void Write(IAnsiConsole output, Sweep sweep)
    {
        output.Write(sweep.IsMap ? Map(sweep) : Curve(sweep));
        if (sweep.IsMap)
            output.WriteLine("deliveries/s, simulated; ×: locks are lost; –: cannot be");
        foreach (var sentence in sweep.Says)
            output.WriteLine(sentence);
        foreach (var why in sweep.Points.Select(point => point.Refused).OfType<string>().Take(1))
            output.WriteLine($"Where nothing stands the knobs do not fit together. The first: {why}");
        if (sweep.Stage.K != 1)
            output.WriteLine($"Backlog and locks lost {PlanTable.OfItsLength}");
    }

    private static Table Curve(Sweep sweep)
    {
        var highest = sweep.Points.Select(point => point.Rate).Where(double.IsFinite).DefaultIfEmpty(1).Max();
        var marks = sweep.Edges().Select(edge => edge.After).ToHashSet();
        return Table.Of(
            TitleOf(sweep),
            [sweep.Ranges[0].Knob.Name + "#", "simulated#", "", "formula#", "locks lost#", "backlog#", ""],
            Enumerable.Range(0, sweep.Points.Count),
            i =>
                [
                    .. Cells(sweep, i, highest),
                    marks.Contains(i) ? "◀ cliff"
                    : sweep.Knee == i ? "◀ grows no more"
                    : "",
                ]
        );
    }

    private static Cell[] Cells(Sweep sweep, int i, double highest) =>
        sweep.Points[i] switch
        {
            { Refused: not null } => [sweep.Show(0, i), "–", "", "–", "–", "–"],
            var point =>
            [
                sweep.Show(0, i),
                NumberText.Of(point.Rate) + "/s",
                new string(
                    point.LosesLocks ? '░' : '█',
                    (int)Math.Round(LongestBar * point.Rate / Math.Max(1e-9, highest))
                ),
                NumberText.Of(point.Formula) + "/s",
                NumberText.Of(point.LocksLost),
                NumberText.Of(Math.Round(point.Backlog)),
            ],
        };

    private static Table Map(Sweep sweep)
    {
        var (columns, rows) = (sweep.Ranges[0], sweep.Ranges[1]);
        return Table.Of(
            TitleOf(sweep),
            [
                $"{rows.Knob.Name} ↓ {columns.Knob.Name} →",
                .. columns.Values.Index().Select(column => sweep.Show(0, column.Index) + "#"),
            ],
            Enumerable.Range(0, rows.Values.Count),
            row =>
                [
                    sweep.Show(1, row),
                    .. Enumerable.Range(0, columns.Values.Count).Select(column => (Cell)Text(sweep.At(column, row))),
                ]
        );
    }

    private static string Text(SweepPoint point) =>
        point.Refused is not null ? "–" : NumberText.Of(point.Rate) + (point.LosesLocks ? " ×" : "");

    private static string TitleOf(Sweep sweep) => $"Stage {sweep.Stage.Stage.Id}: {sweep.Stage.Stage.Title}";
}
