using DroneDelivery.Lab;
using DroneDelivery.Lab.Judge;

namespace DroneDelivery.Articles.Tests.Experiments;

public sealed class LeftOutVariantsTests
{
    private static readonly Experiment Pixel = Experiment.Load("tracking-pixel");

    [Fact]
    public async Task Unnamed_variant_without_its_program_is_skipped_with_a_note()
    {
        var session = SessionOf(leavesOut: true);
        await session.PlayAsync(new Progress<string>(), Cancelled);
        var record = session.Record(isWhole: true);

        Assert.Equal("s1x1", Assert.Single(record.Variants).Name);
        Assert.Equal(("writers", "node is missing."), (record.LeftOut[0].Variant, record.LeftOut[0].Reason));
        Assert.Equal(Outcomes.Holds, record.Outcome);
        var text = TextOf(ExperimentRuns.RunOf([record]));
        Assert.Contains("tracking-pixel, writers, was left out: node is missing.", text, StringComparison.Ordinal);
        Assert.Equal(
            "The run is as expected. 0 of 0 checks hold. 1 variant was left out. Report: report.html",
            text.TrimEnd().Split('\n')[^1].TrimEnd()
        );
    }

    [Fact]
    public async Task Named_variant_without_its_program_is_rejected()
    {
        var session = SessionOf(leavesOut: false);

        var missing = await Assert.ThrowsAsync<MissingProgramException>(() =>
            session.PlayAsync(new Progress<string>(), Cancelled)
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
        var folder = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        return new(plan, folder, new(0)) { Player = new WithoutNode() };
    }

    private static string TextOf(ExperimentRun run)
    {
        using var text = new StringWriter();
        ExperimentTables.Write(new Outlet(text, isTerminal: false).Screen, run, "report.html");
        return text.ToString();
    }

    private sealed class WithoutNode : Player
    {
        public override void RequireMachine(Scene scene) => throw new MissingProgramException("node is missing.");

        public override Exhibits Emulate(Scene scene, CancellationToken cancellationToken) =>
            new(new Dictionary<string, double>());

        public override Task<Exhibits> MeasureAsync(Scene scene, CancellationToken cancellationToken) =>
            throw new InvalidOperationException("The real arm is played without node.");
    }
}
