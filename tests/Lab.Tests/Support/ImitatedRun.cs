namespace DroneDelivery.Lab.Tests.Support;

/// <summary>A quick run of stages 1 to 5 that goes as the article tells, made of arithmetic: record and telemetry fit together.</summary>
internal sealed class ImitatedRun
{
    public static readonly DateTimeOffset Start = new(2030, 1, 1, 8, 0, 3, TimeSpan.Zero);

    /// <summary>Only once: it takes some seconds.</summary>
    public static ImitatedRun Shared { get; } = new();

    private ImitatedRun()
    {
        var telemetry = new ImitatedTelemetry();
        var outcomes = new List<StageOutcome>();
        var plan = PlayedByArithmetic.PlanOf("run 1 2 3 4 5");
        foreach (var (i, (stage, imitation)) in Stages().Index())
        {
            var start = Start.AddMinutes(2 * i);
            telemetry.Play(stage, start);
            var measured = imitation.Measure();
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

        Record = RunRecord.Of(
            plan,
            outcomes,
            Start,
            "./lab run 1 2 3 4 5",
            PlayedByArithmetic.Machine,
            null,
            null,
            null
        );
        Telemetry = new(telemetry.Store.Snapshot());
    }

    public static TelemetryStore StoreOfStage4()
    {
        var telemetry = new ImitatedTelemetry();
        telemetry.Play(Stages().Single(stage => stage.Item1.Id == "4").Item1, Start);
        return telemetry.Store;
    }

    public RunRecord Record { get; }

    public RunTelemetry Telemetry { get; }

    private static IEnumerable<(ImitatedStage, Imitation)> Stages()
    {
        yield return (
            new("1", at => at < 17 ? 12.2 : 2.2, at => at < 17 ? Fate.Completed : Fate.OutOfMemory)
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
                new(stage, at => Math.Min(12.2, 4 + at), _ => Fate.Completed) { TracksRedis = stage == "3" },
                new(stage) { Capacity = 12.2 }
            );
        }
        yield return (
            new("4", at => 70, at => at < 8 ? Fate.Completed : Fate.LockLost) { Prefetch = 375, Nodes = 99 },
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
            new("5", at => 70.8, _ => Fate.Completed) { Prefetch = 375, Nodes = 99 },
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
