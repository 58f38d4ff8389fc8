using DroneDelivery.Lab.Forecasts;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Simulations;
using DroneDelivery.Lab.Stages;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

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

    private static Table TableOf(StagePlan plan, IReadOnlyDictionary<string, SimulatedFigure> figures, bool withRange)
    {
        var table = new Table().Border(TableBorder.Rounded).Title(Markup.Escape($"Stage {plan.Stage.Id}: {plan.Stage.Title}"));
        string[] columns = ["figure", "meaning", "simulated", .. withRange ? ["range"] : Array.Empty<string>(), "published knobs", "band"];
        table.AddColumns(columns);
        foreach (var figure in FigureTable.All.Where(figure => figures.ContainsKey(figure.Name)))
        {
            var simulated = figures[figure.Name];
            string[] range = withRange ? [$"{NumberText.Of(simulated.Min)}–{NumberText.Of(simulated.Max)}{figure.Unit}"] : [];
            string[] cells =
            [
                figure.Name,
                figure.Meaning,
                NumberText.Of(simulated.Median) + figure.Unit,
                .. range,
                plan.Stage.Prediction(figure.Name, plan.K) is { } predicted ? NumberText.Of(predicted) + figure.Unit : "",
                string.Join("; ", plan.Stage.Checks.Where(check => check.Figure == figure.Name).Select(check => BandOf(check, plan.K))),
            ];
            table.AddRow([.. cells.Select(Markup.Escape)]);
        }

        return table;
    }

    private static string BandOf(Check check, double k)
    {
        var band = k == 1 && check.BandFull is { } full ? full : check.Band;
        return $"{check.Id}: {band}{(check.RelativeTo is { } other ? $" × stage {other}" : FigureTable.Find(check.Figure).Unit)}";
    }
}
