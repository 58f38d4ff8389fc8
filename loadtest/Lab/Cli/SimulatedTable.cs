using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

/// <summary>What the model says about each stage, beside what it says for the published knobs and the published bands.</summary>
internal static class SimulatedTable
{
    public static void Write(IAnsiConsole output, RunPlan plan, IReadOnlyList<IReadOnlyList<StageOutcome>> simulations)
    {
        for (var i = 0; i < plan.Played.Count; i++)
        {
            var stage = plan.Played[i];
            var figures = SimulatedFigures.Of(simulations.Select(outcomes => FigureTable.Of(outcomes[i].Measured!)));
            output.Write(TableOf(stage, figures, withRange: simulations.Count > 1));
            foreach (var sentence in SimulatedSetting.LeftOut(stage))
                output.WriteLine(sentence);
        }

        if (plan.Options.IsChanged)
            output.WriteLine("The knobs differ from the published stages, so the bands need not hold.");
    }

    public static void Write(
        IAnsiConsole output, IReadOnlyDictionary<string, IReadOnlyDictionary<string, SimulatedFigure>> queues, bool withRange)
    {
        foreach (var (heading, figures) in queues)
            output.Write(TableOf(heading, SystemFigures.All, figures, withRange, [], _ => []));
    }

    private static Table TableOf(StagePlan plan, IReadOnlyDictionary<string, SimulatedFigure> figures, bool withRange) => TableOf(
        $"Stage {plan.Stage.Id}: {plan.Stage.Title}", FigureTable.All, figures, withRange, ["published knobs#", "band"], figure =>
        [
            Cell.Of(plan.Stage.Prediction(figure.Name, plan.K), figure.Unit),
            string.Join("; ", plan.Stage.Checks.Where(check => check.Figure == figure.Name).Select(check => BandOf(check, plan.K))),
        ]);

    private static Table TableOf(
        string title, IEnumerable<Figure> all, IReadOnlyDictionary<string, SimulatedFigure> figures, bool withRange, string[] more,
        Func<Figure, Cell[]> moreOf) => Table.Of(
        title,
        ["figure", "meaning", "simulated#", .. withRange ? ["range#"] : Array.Empty<string>(), .. more],
        all.Where(figure => figures.ContainsKey(figure.Name)),
        figure =>
        [
            figure.Name,
            figure.Meaning,
            Cell.Of(figures[figure.Name].Median, figure.Unit),
            .. withRange ? [RangeOf(figures[figure.Name], figure.Unit)] : Array.Empty<Cell>(),
            .. moreOf(figure),
        ]);

    private static string RangeOf(SimulatedFigure figure, string unit) => $"{NumberText.Of(figure.Min)}–{NumberText.Of(figure.Max)}{unit}";

    private static string BandOf(Check check, double k)
    {
        var band = k == 1 && check.BandFull is { } full ? full : check.Band;
        return $"{check.Id}: {band}{(check.RelativeTo is { } other ? $" × stage {other}" : FigureTable.Find(check.Figure).Unit)}";
    }
}
