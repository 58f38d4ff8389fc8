namespace DroneDelivery.Lab.Tests.Runs;

public sealed class VoidRunTests
{
    private static readonly ComputedStage Serial = new("2") { Capacity = 12.2 };

    [Fact]
    public void Stage_is_invalid_when_the_load_generator_fell_behind()
    {
        var measured = (Serial with { Load = 0.9 }).Measure();
        var run = ComputedRun.Run("run 2", _ => measured);

        Assert.Equal((Outcomes.Void, Outcomes.Void), (run.Outcome, run.Stages[0].Outcome));
        Assert.StartsWith("The load generator fell behind: it sent 3", run.Stages[0].Reason, StringComparison.Ordinal);
        // Between the shortest and the longest interval between two requests of a user.
        Assert.Null(Validity.GetInvalidReason(measured with { Load = measured.Load with { P95 = 400 } }));
        Assert.Null(Validity.GetInvalidReason(measured, hasFaults: true));
        // A message that waited when the load started must be accounted for.
        Assert.Equal(measured.Unaccounted + 7, (measured with { AtStart = measured.AtStart + 7 }).Unaccounted);
    }

    [Fact]
    public void Run_is_invalid_when_its_nodes_miss_their_capacity()
    {
        var calibration = new Calibration(70.8, 60, new(0, 0, 0, 0, 0, 0), 50);

        Assert.Equal(Outcomes.Void, After(calibration).Outcome);
        Assert.NotEqual(Outcomes.Void, After(calibration with { Measured = 70 }).Outcome);

        RunRecord After(Calibration it) =>
            RunRecord.Of(
                Plan,
                [Played(Serial.Measure())],
                DateTimeOffset.UnixEpoch,
                "",
                ComputedRun.Machine,
                it,
                null,
                null
            );
    }

    [Fact]
    public void Interrupted_stage_keeps_its_series()
    {
        var series = new Series([.. Serial.Measure().Series.Samples.Take(50)]);

        var run = RunRecord.Of(
            Plan,
            [Played(Serial.Measure()), new(Plan.Played[0], DateTimeOffset.UnixEpoch, null, series)],
            DateTimeOffset.UnixEpoch,
            "",
            ComputedRun.Machine,
            null,
            null,
            "It was stopped."
        );

        Assert.Equal((Outcomes.Incomplete, "It was stopped."), (run.Outcome, run.Reason));
        Assert.Equal(
            [Outcomes.Incomplete],
            run.Stages.Where(stage => stage.Figures.Count == 0).Select(stage => stage.Outcome)
        );
        Assert.Equal(4, run.Stages[1].Series.Count);
    }

    [Fact]
    public void Run_requires_disk_space_before_and_during_it()
    {
        var refusal = Assert.Throws<LabException>(() => RunFolder.RequireSpace(Path.GetTempPath(), k: 1e-9));
        var end = Assert.Throws<LabException>(() =>
            RunFolder.RequireMinSpace(Path.GetTempPath(), minSpace: long.MaxValue)
        );

        Assert.Contains("Free up space, or set LAB_ARTIFACTS", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("The disk is full", end.Message, StringComparison.Ordinal);
        RunFolder.RequireMinSpace(Path.GetTempPath(), minSpace: 0);
    }

    private static RunPlan Plan => ComputedRun.PlanOf("run 2");

    private static StageOutcome Played(Measured measured) =>
        new(Plan.Played[0], DateTimeOffset.UnixEpoch, measured, measured.Series);
}
