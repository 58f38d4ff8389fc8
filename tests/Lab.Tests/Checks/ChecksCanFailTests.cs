namespace DroneDelivery.Lab.Tests.Checks;

public sealed class ChecksCanFailTests
{
    private static readonly ComputedStage.Rates Collapse = new(
        Outgoing: 103,
        Redelivered: 57,
        DeadLettered: 23,
        LockLost: 70.5,
        RefusedDeadLetters: 70.5
    );

    private static readonly ComputedStage Stage1 =
            new("1")
            {
                Capacity = 12.2,
                EndsAt = 16.8,
                After = new(Outgoing: 2.2, DeadLettered: 2.1, OutOfMemory: 8.8),
                Nodes = [0.3, 0.1],
            },
        Stage2 = new("2") { Capacity = 12.2, Nodes = [0.33, 0.33] },
        Stage3 = new("3") { Capacity = 12.2, Nodes = [0.32, 0.31] },
        Stage4 =
            new("4")
            {
                Capacity = 70.8,
                AtStart = 2500,
                EndsAt = 8,
                After = Collapse,
                Nodes = [1, 0.6],
                MaxUnsettled = 375,
            },
        Stage5 =
            new("5")
            {
                Capacity = 70.8,
                AtStart = 2500,
                Nodes = [1, 0.6],
            },
        Stage5Clean = new("5-clean") { Capacity = 70.8, Nodes = [1, 0.6] },
        Stage5Long = new("5-long") { Capacity = 70.8, Nodes = [1, 0.6] },
        Stage6 = new("6") { Capacity = 142, Nodes = [0.62, 0.5] },
        Stage6Long = new("6-long") { Capacity = 142, Nodes = [0.62, 0.5] },
        Stage4Long =
            new("4-long")
            {
                Capacity = 70.8,
                EndsAt = 108,
                After = Collapse,
                Nodes = [1, 0.6],
            };

    private static readonly IReadOnlyList<ComputedStage> Healthy =
    [
        Stage1,
        Stage2,
        Stage3,
        Stage4,
        Stage4Long,
        Stage5,
        Stage5Clean,
        Stage5Long,
        Stage6,
        Stage6Long,
    ];

    private static readonly IReadOnlyList<(string Check, string Broken, ComputedStage Run)> Faults =
    [
        ("1a", "a cache without limit", Stage1 with { EndsAt = double.PositiveInfinity }),
        ("1b", "a cache twice as large", Stage1 with { EndsAt = 31 }),
        ("1c", "no retries", Stage1 with { After = Stage1.After with { Outgoing = 12 } }),
        ("1d", "a cache that evicts", Stage1 with { After = Stage1.After with { Completed = 4 } }),
        ("1e", "a Workflow that stops on errors", Stage1 with { After = new(OutOfMemory: 8.8) }),
        ("1f", "abandoning", Stage1 with { After = Stage1.After with { DeadLettered = 0.7 } }),
        ("1g", "abandoning", Stage1 with { After = Stage1.After with { Redelivered = 1.5 } }),
        ("1-sum", "a message that is lost", Stage1 with { Missing = 1 }),
        (
            "2a",
            "old data in the cache",
            Stage2 with
            {
                EndsAt = 50,
                After = new(Outgoing: 2.2, OutOfMemory: 3, Completed: 12.2),
            }
        ),
        ("2b", "no latency", Stage2 with { Capacity = 30 }),
        ("2c", "more than one call at a time", Stage2 with { Capacity = 24 }),
        ("2c", "handlers that are held up", Stage2 with { Capacity = 8 }),
        ("2d", "more than one call at a time", Stage2 with { Nodes = [0.6, 0.3] }),
        ("2-sum", "a message that is lost", Stage2 with { Missing = 1 }),
        ("3a", "errors that grow with the replicas", Stage3 with { Capacity = 9 }),
        ("3a", "a back end that was the bottleneck after all", Stage3 with { Capacity = 16 }),
        ("3b", "more than one call at a time", Stage3 with { Nodes = [0.55, 0.3] }),
        ("3c", "no CPU gate", Stage3 with { ProcessMean = 186 }),
        ("3c", "calls that queue", Stage3 with { ProcessMean = 330 }),
        ("3-sum", "a message that is counted twice", Stage3 with { Missing = -1 }),
        ("4a", "locks that never end", Stage4 with { EndsAt = double.PositiveInfinity }),
        ("4b", "no messages left by stage 3", Stage4 with { AtStart = 0, EndsAt = double.PositiveInfinity }),
        ("4c", "redelivery at the tail", Stage4 with { After = Collapse with { Redelivered = 36 } }),
        (
            "4d",
            "a client that skips messages whose lock is over",
            Stage4 with
            {
                After = Collapse with { Completed = 40 },
            }
        ),
        ("4e", "a MaxDeliveryCount that is ignored", Stage4 with { After = Collapse with { DeadLettered = 0 } }),
        ("4f", "credit that is ignored", Stage4 with { MaxUnsettled = 384 }),
        (
            "4g",
            "a Workflow that swallows the lost lock",
            Stage4 with
            {
                After = Collapse with { RefusedDeadLetters = 0 },
            }
        ),
        ("4-sum", "a message that is lost", Stage4 with { Missing = 1 }),
        ("4-long-a", "locks that never end", Stage4Long with { EndsAt = double.PositiveInfinity }),
        ("4-long-b", "messages left in the queue", Stage4Long with { EndsAt = 8 }),
        ("4-long-sum", "a message that is lost", Stage4Long with { Missing = 1 }),
        ("5a", "the lock of stage 4", Stage5 with { Always = new(LockLost: 0.1) }),
        ("5b", "the lock of stage 4", Stage5 with { Always = new(DeadLettered: 0.1) }),
        ("5c", "no CPU gate", Stage5 with { Capacity = 140 }),
        ("5c", "one back end that does all the work", Stage5 with { Capacity = 45 }),
        ("5d", "15 % less capacity", Stage5 with { Capacity = 60 }),
        ("5e", "the lock of stage 4", Stage5 with { Always = new(Outgoing: 5, Redelivered: 5) }),
        ("5f", "15 % less capacity", Stage5 with { Capacity = 60 }),
        ("5-sum", "a message that is lost", Stage5 with { Missing = 1 }),
        ("5g", "no CPU gate", Stage5Clean with { Capacity = 140 }),
        ("5g", "too little capacity", Stage5Clean with { Capacity = 55 }),
        ("5h", "half the load", Stage5Clean with { Nodes = [0.6, 0.4] }),
        ("5-clean-sum", "a message that is lost", Stage5Clean with { Missing = 1 }),
        ("5i", "10 % more capacity", Stage5Long with { Capacity = 78 }),
        ("5j", "10 % more capacity", Stage5Long with { Capacity = 78 }),
        ("5-long-sum", "a message that is lost", Stage5Long with { Missing = 1 }),
        ("6a", "one call at a time", Stage6Long with { Capacity = 24 }),
        ("6b", "one call at a time", Stage6Long with { Capacity = 24 }),
        ("6c", "nodes that are not added", Stage6Long with { Nodes = [1, 0.5] }),
        ("6d", "replicas that are not added", Stage6Long with { Capacity = 70.8 }),
        ("6e", "one call at a time", Stage6Long with { Always = new(LockLost: 0.1) }),
        ("6f", "one call at a time", Stage6Long with { Capacity = 77 }),
        ("6-long-sum", "a message that is lost", Stage6Long with { Missing = 1 }),
        ("6g", "one call at a time", Stage6 with { Capacity = 24 }),
        ("6h", "replicas that are not added", Stage6 with { Capacity = 70.8 }),
        ("6i", "replicas that are not added", Stage6 with { Capacity = 70.8 }),
        ("6i", "half the load", Stage6 with { Load = 0.5 }),
        ("6j", "nodes that are not added", Stage6 with { Nodes = [1, 0.5] }),
        ("6k", "one call at a time", Stage6 with { Always = new(LockLost: 0.1) }),
        ("6-sum", "a message that is lost", Stage6 with { Missing = 1 }),
        .. Healthy
            .Except([Stage5Clean, Stage6])
            .Select(run => ($"{run.Stage}-telemetry", "telemetry that is lost", run with { MissingInTelemetry = 1 })),
    ];

    public static TheoryData<string> Stages => [.. Stage.All().Select(stage => stage.Id)];

    public static TheoryData<string, string> Broken => [.. Faults.Select(fault => (fault.Check, fault.Broken))];

    [Theory, MemberData(nameof(Stages))]
    public void All_checks_pass_for_the_simulated_application(string stage) =>
        Assert.All(ChecksOf(Healthy.Single(run => run.Stage == stage)), check =>
            Assert.True(check.Holds, $"{check.Id}: {check.Measured} is outside {check.Band}")
        );

    [Theory, MemberData(nameof(Broken))]
    public void Check_fails_for_its_fault(string check, string broken)
    {
        var judged = ChecksOf(Faults.Single(fault => (fault.Check, fault.Broken) == (check, broken)).Run)
            .Single(it => it.Id == check);

        Assert.True(judged.Holds == false, $"{broken} passes {check}: {judged.Measured} is within {judged.Band}");
    }

    [Fact]
    public void Every_check_has_a_fault_that_breaks_it() =>
        Assert.Equal(
            Stage.All().SelectMany(stage => stage.Checks).Select(check => check.Id).Order(),
            Faults.Select(fault => fault.Check).Distinct().Order()
        );

    [Theory]
    [InlineData(1, 0.2, false)]
    [InlineData(8, 0.2, true)]
    public void Range_can_differ_at_full_scale(double k, double value, bool holds)
    {
        var figures = new Dictionary<string, IReadOnlyDictionary<string, double>>
        {
            ["1"] = new Dictionary<string, double>(Stage1.Figures()) { ["outgoing.afterPerBefore"] = value },
        };

        Assert.Equal(holds, CheckRecord.Of(Stage.Load("1"), k, figures).Single(check => check.Id == "1c").Holds);
    }

    [Fact]
    public void First_half_of_the_long_stage_matches_the_short_one()
    {
        var half = FigureTable.Of(Stage5Long.Measure().FirstHalf());
        var whole = Stage5Clean.Figures();

        Assert.All(["completed.perSent", "completed.peak", "backlog.loadEnd", "node.busiest", "unaccounted"], name =>
            Assert.Equal(whole[name], half[name], 2.0)
        );
        var faster = (Stage5Long with { Capacity = 40, EndsAt = 60, After = new(Completed: 70.8) }).Measure();
        Assert.Equal(70.8, FigureTable.Of(faster)["completed.peak"], 0.5);
        Assert.Equal(40, FigureTable.Of(faster.FirstHalf())["completed.peak"], 0.5);
    }

    [Fact]
    public void Receiver_without_prefetch_holds_one_message_per_handler()
    {
        var (fits, tooMany) = (Held(20), Held(21));

        Assert.Equal((1.0, true), (fits.Measured, fits.Holds));
        Assert.Equal((1.05, false), (tooMany.Measured, tooMany.Holds));

        static CheckRecord Held(int messages) =>
            ChecksOf(Stage4 with { MaxUnsettled = messages, Knobs = ["workflow.prefetchCount=0"] })
                .Single(check => check.Id == "4f");
    }

    [Fact]
    public void All_checks_of_the_half_stage_6_are_evaluated() =>
        Assert.DoesNotContain(ComputedRun.Run("run all").Stages.Single(stage => stage.Stage == "6").Checks, check =>
            check.Holds is null
        );

    [Theory]
    [InlineData("5-clean", "5-clean-sum")]
    [InlineData("6", "6-sum")]
    public void Message_lost_by_the_whole_stage_fails_the_check_of_its_half(string stage, string check)
    {
        var half = FigureTable.Of((Stage5Long with { Missing = 1 }).Measure().FirstHalf());
        var checks = CheckRecord.Of(
            Stage.Load(stage),
            8,
            new Dictionary<string, IReadOnlyDictionary<string, double>> { [stage] = half }
        );

        Assert.False(checks.Single(it => it.Id == check).Holds);
    }

    [Fact]
    public void Half_has_no_metrics_from_after_its_end()
    {
        var half = ComputedRun.Run("run 5-long").Stages.Single(stage => stage.Stage == "5-clean");

        Assert.DoesNotContain(half.Figures.Keys, name =>
            name
                is "accepted"
                    or "http.5xx"
                    or "outgoing.afterLoad"
                    or "redelivered"
                    or "drain"
                    or "drain.perLoad"
                    or "lockLost.any"
                    or "deadLettered.final"
                    or "telemetry.unaccounted"
        );
        Assert.Null(half.Load);
        Assert.Null(half.Final);
        Assert.Equal(Outcomes.Holds, half.Outcome);
    }

    private static IReadOnlyList<CheckRecord> ChecksOf(ComputedStage run) =>
        CheckRecord.Of(
            Stage.Load(run.Stage),
            RunOptions.Quick,
            Healthy
                .Where(other => other.Stage != run.Stage)
                .Append(run)
                .ToDictionary(it => it.Stage, it => it.Figures())
        );
}
