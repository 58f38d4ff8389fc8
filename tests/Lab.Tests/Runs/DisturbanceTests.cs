namespace DroneDelivery.Lab.Tests.Runs;

public sealed class DisturbanceTests
{
    public static TheoryData<string, double, string> Causes =>
        new()
        {
            { "busy", 0.90, "The machine was the bottleneck: its CPU was 90 % busy during the load." },
            { "stolen", 0.10, "Other virtual machines took 10 % of this machine's CPU during the load." },
            { "late", 0.40, "40 % of the emulated CPU reservations ended more than 5 ms late." },
        };

    [Theory, MemberData(nameof(Causes))]
    public void Stage_is_invalid_when_the_machine_disturbed_it(string cause, double share, string reason)
    {
        var stage = ComputedRun.Run("run 2", measured => Disturb(measured, cause, share)).Stages.Single();

        Assert.Equal(Outcomes.Void, stage.Outcome);
        Assert.Contains(reason, stage.Reason, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("busy", 0.83)]
    [InlineData("stolen", 0.04)]
    [InlineData("late", 0.20)]
    public void Failed_check_invalidates_the_stage_on_a_disturbed_machine(string cause, double share)
    {
        var passed = ComputedRun.Run("run 2", measured => Disturb(measured, cause, share));
        var failed = ComputedRun.Run("run 2", measured => Disturb(Slow(measured), cause, share));

        Assert.Equal((Outcomes.Holds, Outcomes.Void), (passed.Outcome, failed.Outcome));
    }

    [Fact]
    public void Failed_check_fails_the_stage_on_a_quiet_machine()
    {
        var run = ComputedRun.Run("run 2", measured =>
            Disturb(Disturb(Disturb(Slow(measured), "busy", 0.5), "stolen", 0), "late", 0.01)
        );

        Assert.Equal(Outcomes.Fails, run.Outcome);
    }

    [Fact]
    public void Lost_message_fails_the_stage_on_a_busy_machine()
    {
        var run = ComputedRun.Run("run 2", measured =>
            Disturb(measured, "late", 0.20) with
            {
                Load = measured.Load with { Accepted = measured.Load.Accepted + 1 },
            }
        );

        Assert.Equal(Outcomes.Broken, run.Outcome);
    }

    private static Measured Disturb(Measured measured, string cause, double share) =>
        measured with
        {
            Series = new([.. measured.Series.Samples.Select(sample => Disturb(sample, cause, share))]),
        };

    private static Sample Disturb(Sample sample, string cause, double share) =>
        cause switch
        {
            "busy" => sample with { MachineBusy = sample.At * share },
            "stolen" => sample with { MachineStolen = sample.At * share },
            _ => sample with { Holds = sample.At * 1_000, LateHolds = sample.At * 1_000 * share },
        };

    private static Measured Slow(Measured measured) =>
        measured with
        {
            Series = new([
                .. measured.Series.Samples.Select(sample =>
                    sample with
                    {
                        Queue = sample.Queue with
                        {
                            Completed = sample.Queue.Completed * 3 / 5,
                            Active = sample.Queue.Active + sample.Queue.Completed - sample.Queue.Completed * 3 / 5,
                        },
                    }
                ),
            ]),
        };
}
