using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Planning;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Report;

/// <summary>What the page shows for a setting.</summary>
/// <param name="Pieces">Id of an element → its content.</param>
/// <param name="Command">What plays it.</param>
internal sealed record WhatIfAnswer(IReadOnlyDictionary<string, string> Pieces, string Command)
{
    // Enough for the most messages that the page takes, as long as they do not come again and again.
    private const long MostEvents = 2_000_000;

    /// <exception cref="BadInputException">The simulation takes too long.</exception>
    /// <exception cref="OperationCanceledException">Who asks has left.</exception>
    public static WhatIfAnswer Of(WhatIfSetting setting, PriceFile prices, CancellationToken left)
    {
        var plan = setting.Plan;
        var measured = Play(plan, left);
        var formulas = Planner.Of(SimulatedSetting.Of(plan));
        var fullLength = Planner.Of(SimulatedSetting.Of(plan.AtFullLength));
        var cost = Cost.Of(plan, formulas.Incoming, prices);
        var charts = new WhatIfCharts(plan, measured);
        return new(
            new Dictionary<string, string>
            {
                ["tiles"] = Tiles(measured, fullLength, cost).Markup,
                ["says"] = WhatIfWords.Of(plan, measured, formulas, fullLength).Markup,
                ["throughput"] = SvgChart.Render(charts.Throughput()).Markup,
                ["backlog"] = SvgChart.Render(charts.Backlog()).Markup,
                ["locks"] = (measured.Final.LockLost > 0 ? SvgChart.Render(charts.LocksLost()) : NoneLost).Markup,
                ["nodes"] = SvgChart.Render(charts.Nodes()).Markup,
                ["cost"] = CostBars(cost, prices).Markup,
            },
            "./lab " + string.Join(' ', setting.Arguments));
    }

    private static Html NoneLost { get; } = new("<h3>Locks lost</h3><p class=\"says\">No lock is lost.</p>");

    private static Measured Play(StagePlan plan, CancellationToken left)
    {
        try
        {
            return SimulatedStage.Play(plan, seed: 1, new(MostEvents, left));
        }
        catch (TooManyEventsException)
        {
            throw new BadInputException(
                $"Messages are redelivered so often that the simulation has more than {NumberText.Of((double)MostEvents)} events, "
                + "which are too many for the page. `./lab simulate` has no such limit.");
        }
    }

    private static Html Tiles(Measured measured, Plan fullLength, Cost cost)
    {
        (string Name, string Value)[] tiles =
        [
            ("comes in", NumberText.Of(measured.Plateau(sample => sample.Queue.Incoming)) + "/s"),
            ("completed", NumberText.Of(measured.Plateau(sample => sample.Queue.Completed)) + "/s"),
            ("backlog at the end", NumberText.Of(Math.Round(measured.AtLoadEnd(sample => sample.Queue.Queued)))),
            ("refused: lock over", NumberText.Of((double)measured.Final.LockLost)),
            ("busiest node", NumberText.Of(measured.BusiestNode) + " %"),
            ("prefetch is safe up to", NumberText.Of(fullLength.SafePrefetch)),
            ("a month, about", $"{NumberText.Of(Math.Round(cost.PerMonth))} {cost.Currency}"),
        ];
        var pieces = tiles.Select(tile => Html.Of($"<div><dt>{tile.Name}</dt><dd>{tile.Value}</dd></div>"));
        return Html.Of($"<dl class=\"tiles\">{pieces}</dl>");
    }

    private static Html CostBars(Cost cost, PriceFile prices)
    {
        var bars = new BarChart(
            $"Cost: about {NumberText.Of(Math.Round(cost.PerMonth))} {cost.Currency} a month",
            [.. cost.Lines.Select(line => ($"{line.Part}: {line.What}", Math.Round(line.PerMonth)))]);
        return Html.Of($"""
            {bars.Render()}
            <p class="says">An estimate if this load came in all month. Prices of {prices.Date:yyyy-MM-dd}, {prices.Region}: {prices.Note}</p>
            """);
    }
}
