using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Model.Tests.Stages;

/// <summary>
/// Compares the stages with the metrics of an earlier model, from which the ranges in the stage files were chosen: the
/// minimum and maximum of ten seeds. Its users started half an interval later, so there are up to 20 more messages
/// here, and its Workflow replicas started with the load. Shortened stages are included if their metrics differ.
/// StageFileTests checks that the others scale with the run.
/// </summary>
public sealed class StageRangesTests
{
    private const int Seeds = 10;
    private const double Tolerance = 0.015;

    private static readonly string[] Ranges =
    [
        "1 full completed.underLoad 1400-1400; http.5xx.first 0.27-0.28; completed.peak 12.8-13.6; completed.average 2.92-2.92",
        "1 full outgoing.beforeFull 11.9-12.5; outgoing.afterFull 0.35-0.36; outgoing.afterPerBefore 0.028-0.031",
        "1 full http.5xx.outOfMemory 500-504; deadLettered.loadEnd 123-124; backlog.loadEnd 25435-25505; outgoing.afterLoad 0.35-0.38",
        "1 full node.p95 28.7-28.8; redelivered 0-0; completed.afterFull 0-0; unaccounted 0-0",
        "1 quick completed.underLoad 175-175; http.5xx.first 0.27-0.28; completed.average 2.92-2.92; outgoing.beforeFull 11.6-12.9",
        "1 quick outgoing.afterFull 2.16-2.25; outgoing.afterPerBefore 0.17-0.19; http.5xx.outOfMemory 379-391",
        "1 quick deadLettered.loadEnd 93-96; backlog.loadEnd 3091-3125; outgoing.afterLoad 2.13-2.33; node.p95 31.2-31.5; redelivered 0-0",
        "2 full incoming.peak 81.0-82.2; completed.peak 13.2-13.8; completed.average 11.6-11.8; completed.plateau 11.9-12.4",
        "2 full inOut.plateau 6.45-6.70; backlog.loadEnd 21324-21438; telemetry.processMean 244-247; node.p95 33.4-33.6; lockLost.any 0-0",
        "3 full incoming.peak 81.0-82.2; completed.peak 13.0-14.0; completed.average 11.5-11.8; completed.plateau 11.9-12.2",
        "3 full inOut.plateau 6.54-6.72; backlog.loadEnd 21318-21466; telemetry.processMean 245-249; node.p95 31.7-31.9",
        "4 full completed.peak 71.4-72.4; completed.underLoad 4273-4281; completed.average 8.90-8.92; completed.lastThird 0-0",
        "4 full outgoing.underLoad 42900-42900; outgoing.distinct 17773-17781; outgoing.perSent 1.59-1.59; outgoing.perDistinct 2.41-2.41",
        "4 full lockLost 29658-29668; lockLost.first 60.4-60.7; deadLettered.loadEnd 9000-9000; deadLettered.final 15300-15300",
        "4 full backlog.loadEnd 33697-33749; node.p95 100-100; unsettled.perPrefetch 1-1",
        "4 quick completed.underLoad 558-562; completed.average 9.30-9.37; completed.lastThird 0-0; outgoing.underLoad 5325-5325",
        "4 quick outgoing.distinct 2358-2362; outgoing.perSent 1.57-1.58; outgoing.perDistinct 2.25-2.26; lockLost 3657-3662",
        "4 quick lockLost.first 7.89-8.24; deadLettered.loadEnd 1200-1200; deadLettered.final 1800-1800; backlog.loadEnd 4108-4135",
        "5 full completed.peak 72.0-72.4; completed.underLoad 33934-33942; completed.average 70.7-70.7; completed.plateau 70.7-70.8",
        "5 full inOut.plateau 1.13-1.13; backlog.slope 9.07-9.51; backlog.loadEnd 13019-13102; drain 185-186; outgoing.perSent 1.59-1.59",
        "5 full lockLost.any 0-0; deadLettered.final 0-0; outgoing.perDistinct 1-1; node.p95 100-100",
        "5-clean full completed.underLoad 25040-25084; completed.average 52.2-52.3; completed.plateau 70.8-70.8; backlog.slope 9.04-9.37",
        "5-clean full backlog.loadEnd 1902-1971; drain 27.0-27.7; outgoing.perSent 1-1; node.busiest 100-100",
        "5-long full completed.underLoad 59009-59051; completed.average 61.5-61.5; backlog.slope 9.12-9.39; backlog.loadEnd 6295-6480",
        "5-long full drain 89.1-91.3; lockLost.any 0-0",
        "6 full completed.peak 81.2-82.6; completed.underLoad 26955-27031; completed.average 56.2-56.3; completed.plateau 79.9-80.2",
        "6 full node.p95 61.2-61.5; node.highest 62.1-62.9; lockLost 0-0",
        "6-long full completed.underLoad 65307-65463; completed.average 68.0-68.2; completed.plateau 79.9-80.1; node.p95 61.5-61.6",
    ];

    public static TheoryData<string, string> Stages =>
        [.. Ranges.Select(line => line.Split(' ')).Select(words => (words[0], words[1])).Distinct()];

    [Theory, MemberData(nameof(Stages))]
    public void Median_of_ten_seeds_is_within_the_earlier_models_range(string stage, string length)
    {
        var k = length == "full" ? 1 : RunOptions.Quick;
        var plan = StagePlan.Of(Stage.Load(stage), new(k, KnobSet.Empty, null, "", new(0), 1, false));
        var setting = SimulatedSetting.Of(plan) with { WorkflowStartsAfterSeconds = 0 };

        var figures = SimulatedFigures.Of(
            Enumerable
                .Range(1, Seeds)
                .Select(seed => FigureTable.Of(SimulatedStage.Measure(plan, Simulator.Run(setting, seed))))
        );

        var outside = RangesOf(stage, length)
            .Where(range => !IsIn(figures[range.Figure].Median, range.Min, range.Max))
            .Select(range => $"{range.Figure} {figures[range.Figure].Median:0.###} instead of {range.Min}–{range.Max}");
        Assert.Empty(outside);
    }

    private static bool IsIn(double value, double min, double max) =>
        value >= min * (1 - Tolerance) && value <= max * (1 + Tolerance);

    private static IEnumerable<(string Figure, double Min, double Max)> RangesOf(string stage, string length) =>
        from line in Ranges
        where line.StartsWith($"{stage} {length} ", StringComparison.Ordinal)
        from range in line[(stage.Length + length.Length + 2)..].Split("; ")
        let words = range.Split(' ')
        let ends = words[1].Split('-')
        select (words[0], double.Parse(ends[0], null), double.Parse(ends[1], null));
}
