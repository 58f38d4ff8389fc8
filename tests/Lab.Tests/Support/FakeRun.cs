namespace DroneDelivery.Lab.Tests.Support;

/// <summary>
/// A simulated run of stages 1 to 5 that matches the article. Its record and its telemetry are consistent.
/// </summary>
internal sealed class FakeRun
{
    public static readonly DateTimeOffset Start = new(2030, 1, 1, 8, 0, 3, TimeSpan.Zero);

    /// <summary>Shared because it takes some seconds to create.</summary>
    public static FakeRun Shared { get; } = new();

    private FakeRun()
    {
        var telemetry = new FakeTelemetry();
        var outcomes = new List<StageOutcome>();
        var plan = ComputedRun.PlanOf("run 1 2 3 4 5");
        foreach (var (i, (stage, computed)) in Stages().Index())
        {
            var start = Start.AddMinutes(2 * i);
            telemetry.Play(stage, start);
            var measured = computed.Measure();
            outcomes.Add(
                new(
                    plan.Played[i],
                    start,
                    measured with
                    {
                        Load = measured.Load with { StartedAt = start },
                    },
                    measured.Series
                )
            );
        }

        Record = RunRecord.Of(plan, outcomes, Start, "./lab run 1 2 3 4 5", ComputedRun.Machine, null, null, null);
        Telemetry = new(telemetry.Store.Snapshot());
    }

    public static TelemetryStore StoreOfStage4()
    {
        var telemetry = new FakeTelemetry();
        telemetry.Play(Stages().Single(stage => stage.Item1.Id == "4").Item1, Start);
        return telemetry.Store;
    }

    public RunRecord Record { get; }

    public RunTelemetry Telemetry { get; }

    private static IEnumerable<(FakeStage, ComputedStage)> Stages()
    {
        yield return (
            new("1", at => at < 17 ? 12.2 : 2.2, at => at < 17 ? MessageOutcome.Completed : MessageOutcome.OutOfMemory)
            {
                RedisLimit = 5_200_000,
            },
            new("1")
            {
                Capacity = 12.2,
                EndsAt = 17,
                After = new(Outgoing: 2.2, DeadLettered: 2.2, OutOfMemory: 6.6),
            }
        );
        foreach (var stage in new[] { "2", "3" })
        {
            yield return (
                new(stage, at => Math.Min(12.2, 4 + at), _ => MessageOutcome.Completed) { TracksRedis = stage == "3" },
                new(stage) { Capacity = 12.2 }
            );
        }
        yield return (
            new("4", at => 70, at => at < 8 ? MessageOutcome.Completed : MessageOutcome.LockLost)
            {
                Prefetch = 375,
                Nodes = 99,
            },
            new("4")
            {
                AtStart = 2500,
                Capacity = 70.8,
                EndsAt = 8,
                After = new(Outgoing: 70, Redelivered: 40, DeadLettered: 20, LockLost: 70, RefusedDeadLetters: 70),
                Nodes = [0.99, 0.99],
                MaxUnsettled = 375,
            }
        );
        yield return (
            new("5", at => 70.8, _ => MessageOutcome.Completed) { Prefetch = 375, Nodes = 99 },
            new("5")
            {
                AtStart = 2500,
                Capacity = 70.8,
                Nodes = [0.99, 0.99],
                MaxUnsettled = 375,
            }
        );
    }
}
