using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;
using DroneDelivery.Model.Planning;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Report;

/// <summary>What the page shows for a setting.</summary>
/// <param name="Pieces">Id of an element → its content.</param>
internal sealed record WhatIfAnswer(IReadOnlyDictionary<string, string> Pieces, string Command)
{
    // Enough for the most messages that the page takes, as long as they do not come again and again.
    private const long MostEvents = 2_000_000;

    /// <exception cref="BadInputException">The simulation takes too long.</exception>
    public static WhatIfAnswer Of(WhatIfSetting setting, CancellationToken left)
    {
        var plan = setting.Plan;
        var measured = Play(plan, left);
        var formulas = Planner.Of(SimulatedSetting.Of(plan));
        var fullLength = Planner.Of(SimulatedSetting.Of(plan.AtFullLength));
        var pieces = Charts(plan, measured.Series.Bins(plan.BinSeconds, plan.Profile.UsersAt))
            .ToDictionary(chart => chart.Id[..^"-chart".Length], chart => SvgChart.Render(chart).Markup);
        if (measured.Final.LockLost == 0)
            pieces["locks"] = "<h3>Locks lost</h3><p class=\"says\">No lock is lost.</p>";
        pieces["tiles"] = Tiles(measured, fullLength).Markup;
        pieces["says"] = Words(plan, measured, formulas, fullLength).Markup;
        return new(pieces, "./lab " + string.Join(' ', setting.Arguments));
    }

    private static IEnumerable<LineChart> Charts(StagePlan plan, IReadOnlyList<Bin> bins) =>
        [
            Draw(
                plan,
                "throughput",
                "Throughput",
                "messages/s",
                "Messages that come in, and those that are completed.",
                RecordCharts.Rates("incoming", "incoming", bins, bin => bin.Incoming),
                RecordCharts.Rates("completed", "outgoing", bins, bin => bin.Completed)
            ) with
            {
                PeakOf = "completed",
            },
            Draw(
                plan,
                "backlog",
                "Backlog",
                "messages",
                "Messages that are not settled, and dead letters.",
                RecordCharts.Backlog(bins)
            ),
            Draw(
                plan,
                "locks",
                "Locks lost",
                "per s",
                "Settlements that are refused because the lock is over: their work was wasted.",
                RecordCharts.Refused(bins)
            ),
            Draw(
                plan,
                "nodes",
                "CPU of the nodes",
                "%",
                "The busiest node of each moment, and the mean of all.",
                RecordCharts.Nodes(bins)
            ) with
            {
                Thresholds = [new(80, "80 %")],
            },
        ];

    private static LineChart Draw(
        StagePlan plan,
        string id,
        string title,
        string unit,
        string says,
        params IReadOnlyList<Line> lines
    ) =>
        new(
            $"{id}-chart",
            title,
            says,
            unit,
            lines,
            StageFacts.Marks(plan.Profile.PlateauStart, plan.Profile.DurationSeconds)
        )
        {
            Until = plan.Profile.DurationSeconds,
        };

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
                    + "which are too many for the page. `./lab simulate` has no such limit."
            );
        }
    }

    private static Html Tiles(Measured measured, Plan fullLength)
    {
        (string Name, string Value)[] tiles =
        [
            ("comes in", NumberText.Of(measured.Plateau(sample => sample.Queue.Incoming)) + "/s"),
            ("completed", NumberText.Of(measured.Plateau(sample => sample.Queue.Completed)) + "/s"),
            ("backlog at the end", NumberText.Of(Math.Round(measured.AtLoadEnd(sample => sample.Queue.Queued)))),
            ("refused: lock over", NumberText.Of((double)measured.Final.LockLost)),
            ("busiest node", NumberText.Of(measured.BusiestNode) + " %"),
            ("prefetch is safe up to", NumberText.Of(fullLength.SafePrefetch)),
        ];
        return Html.Of($"<dl class=\"tiles\">{tiles.Select(tile => LiveTiles.Tile(tile.Name, tile.Value))}</dl>");
    }

    /// <summary>What binds, in sentences.</summary>
    /// <param name="formulas">Of what is played.</param>
    /// <param name="fullLength">Of what is typed.</param>
    private static Html Words(StagePlan plan, Measured measured, Plan formulas, Plan fullLength)
    {
        var next = formulas.Next is { } behind ? $"Next behind it: {PlanText.Of(behind)}." : "";
        var leftOut = SimulatedSetting.LeftOut(plan).Select(sentence => Html.Of($"<p class=\"note\">{sentence}</p>"));
        return Html.Of($"<p class=\"binds\">{Binds(formulas)}</p><p>{next} {Locks(measured, fullLength)}</p>{leftOut}");
    }

    private static string Binds(Plan formulas) =>
        formulas.Binds.Kind switch
        {
            LimitKind.Load => $"The load binds: all {NumberText.Of(formulas.Incoming)}/s can be completed.",
            LimitKind.Lock when formulas.Binds.Rate > 0 =>
                "Prefetch against lock binds: some buffered messages wait for longer than their locks, and the work for them is wasted.",
            LimitKind.Lock =>
                "Prefetch against lock binds: buffered messages wait for longer than their locks, and nothing is completed any more.",
            LimitKind.Cache => "Redis binds: its memory is full, and nothing is completed any more.",
            LimitKind.Cpu or LimitKind.Intake => $"CPU binds: {PlanText.Of(formulas.Binds)}.",
            _ => $"Calls at a time bind: {PlanText.Of(formulas.Binds)}.",
        };

    private static string Locks(Measured measured, Plan fullLength)
    {
        var largest = NumberText.Of(Math.Floor(fullLength.LargestPrefetch));
        var lost = measured.Final.LockLost;
        return (
                lost > 0
                    ? $"Locks are lost: {NumberText.Of((double)lost)} settlements are refused."
                    : "No lock is lost."
            ) + $" A full buffer keeps its locks up to a prefetch count of {largest}.";
    }
}
