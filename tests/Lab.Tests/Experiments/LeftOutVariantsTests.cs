using DroneDelivery.Lab.Tests.Runs;
using Spectre.Console;

namespace DroneDelivery.Lab.Tests.Experiments;

public sealed class LeftOutVariantsTests
{
    private static readonly Experiment Pixel = Experiment.Load("tracking-pixel");

    [Fact]
    public async Task A_variant_that_nobody_named_is_left_out_and_the_last_line_says_so()
    {
        var session = SessionOf(leavesOut: true);
        await session.PlayAsync(new Progress<string>(), Cancel);
        var record = session.Record(isWhole: true);

        Assert.Equal("s1x1", Assert.Single(record.Variants).Name);
        Assert.Equal(("writers", "node is missing."), (record.LeftOut[0].Variant, record.LeftOut[0].Reason));
        Assert.Equal(Outcomes.Holds, record.Outcome);
        var text = ChangedRunTests.Say(PlayedExperiment.RunOf([record]), AnsiSupport.No);
        Assert.Contains("tracking-pixel, writers, was left out: node is missing.", text, StringComparison.Ordinal);
        Assert.Equal(
            "The run is as expected. 0 of 0 checks hold. 1 variant was left out. Report: report.html",
            text.TrimEnd().Split('\n')[^1].TrimEnd()
        );
    }

    [Fact]
    public async Task One_that_was_named_is_refused_before_anything_is_played()
    {
        var session = SessionOf(leavesOut: false);

        var missing = await Assert.ThrowsAsync<MissingProgramException>(() =>
            session.PlayAsync(new Progress<string>(), Cancel)
        );

        Assert.Equal("node is missing.", missing.Message);
        Assert.Empty(session.Record(isWhole: false).Variants);
    }

    private static ExperimentSession SessionOf(bool leavesOut)
    {
        var plan = new ExperimentPlan(
            Pixel,
            Pixel.VariantsOf(["s1x1", "writers"]),
            IsFull: false,
            new Dictionary<string, double>()
        )
        {
            LeavesOut = leavesOut,
        };
        var place = new ExperimentPlace(Path.Combine(Path.GetTempPath(), Path.GetRandomFileName()), new(0));
        return new(plan, place) { Player = WithoutNode };
    }

    private static readonly ExperimentPlayer WithoutNode = new(
        _ => throw new MissingProgramException("node is missing."),
        (_, _) => throw new InvalidOperationException("The real arm is played without node."),
        (_, _) => Task.FromResult(new Exhibits(new Dictionary<string, double>()))
    );
}
