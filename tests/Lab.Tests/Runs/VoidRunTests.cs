namespace DroneDelivery.Lab.Tests.Runs;

public sealed class VoidRunTests
{
    private static readonly Imitation Serial = new("2") { Capacity = 12.2 };

    [Fact]
    public void A_stage_whose_generator_fell_behind_is_void_and_says_so_unless_users_waited_for_answers()
    {
        var measured = (Serial with { Load = 0.9 }).Measure();
        var run = PlayedByArithmetic.Run("run 2", _ => measured);

        Assert.Equal((Outcomes.Void, Outcomes.Void), (run.Outcome, run.Stages[0].Outcome));
        Assert.StartsWith("The load generator fell behind: it sent 3", run.Stages[0].Reason, StringComparison.Ordinal);
        // Longer than the shortest time between two requests of a user, and shorter than the longest.
        Assert.Null(Validity.ReasonAgainst(measured with { Load = measured.Load with { P95 = 400 } }));
        Assert.Null(Validity.ReasonAgainst(measured, hasFaults: true));
        // A message that waited when the load began has to be accounted for.
        Assert.Equal(measured.Unaccounted + 7, (measured with { AtStart = measured.AtStart + 7 }).Unaccounted);
    }

    [Fact]
    public void A_run_whose_nodes_did_not_give_what_they_should_is_void()
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
                PlayedByArithmetic.Machine,
                it,
                null,
                null
            );
    }

    [Fact]
    public void A_stage_that_was_broken_off_keeps_its_series_and_leaves_the_run_incomplete()
    {
        var series = new Series([.. Serial.Measure().Series.Samples.Take(50)]);

        var run = RunRecord.Of(
            Plan,
            [Played(Serial.Measure()), new(Plan.Played[0], DateTimeOffset.UnixEpoch, null, series)],
            DateTimeOffset.UnixEpoch,
            "",
            PlayedByArithmetic.Machine,
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
    public void A_disk_without_room_is_refused_and_one_that_has_become_full_ends_the_run()
    {
        var refusal = Assert.Throws<LabException>(() => RunFolder.RequireRoom(Path.GetTempPath(), k: 1e-9));
        var end = Assert.Throws<LabException>(() => RunFolder.RequireRest(Path.GetTempPath(), rest: long.MaxValue));

        Assert.Contains("Make room, or set LAB_ARTIFACTS", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("The disk became full", end.Message, StringComparison.Ordinal);
        RunFolder.RequireRest(Path.GetTempPath(), rest: 0);
    }

    private static RunPlan Plan => PlayedByArithmetic.PlanOf("run 2");

    private static StageOutcome Played(Measured measured) =>
        new(Plan.Played[0], DateTimeOffset.UnixEpoch, measured, measured.Series);
}
