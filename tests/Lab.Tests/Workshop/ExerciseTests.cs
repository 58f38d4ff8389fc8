using DroneDelivery.Lab.Workshop;

namespace DroneDelivery.Lab.Tests.Workshop;

public sealed class ExerciseTests
{
    private const string Delivery = "Delivery, 503, Redis is out of memory",
        Outage = "fill redis at 120s for 60s";

    /// <summary>The exercise, run, answer, and missing condition; <c>null</c> if none is missing.</summary>
    private static readonly IReadOnlyList<(string Exercise, string Run, string? Answer, string? Missing)> Attempts =
    [
        ("failing-dependency", "run 1", Delivery, null),
        (
            "failing-dependency",
            "run 1 --set telemetry.redis=on",
            "delivery, RedisServerException, Redis has reached its maxmemory",
            null
        ),
        ("failing-dependency", "run 1", "DELIVERY, 5xx, the cache is full, and keys never expire", null),
        (
            "failing-dependency",
            "run 1 --set redis.deliveriesThatFit=0",
            Delivery,
            "nothing was turned that has to stay"
        ),
        (
            "failing-dependency",
            "run 1",
            "Delivery answers 503 because Redis is out of memory.",
            "the answer has three parts"
        ),
        ("failing-dependency", "run 1", "Workflow, 503, Redis is out of memory", "the service that fails is named"),
        (
            "failing-dependency",
            "run 1",
            "Delivery or Package, 503, Redis is out of memory",
            "the service that fails is named"
        ),
        (
            "failing-dependency",
            "run 1",
            "Delivery, an error, Redis is out of memory",
            "the result code or the exception is named"
        ),
        ("failing-dependency", "run 1", "Delivery, 503, the memory of its node is full", "the store is named"),
        ("failing-dependency", "run 1", "Delivery, 503, Redis is too slow", "what it lacks is named"),
        ("first-knob", "run 4", "workflow.prefetchCount=700", null),
        ("first-knob", "run 4", "workflow.prefetchCount=0", null),
        ("first-knob", "run 4", "workflow.prefetchCount=1500", "no message would wait longer than its lock"),
        ("first-knob", "run 4", "workflow.prefetchCount=100", "no handler would wait for messages"),
        ("first-knob", "run 4", "workflow.maxConcurrentCalls=40", "it shortens the wait of a message, for nothing"),
        (
            "first-knob",
            "run 4 --set queue.lockDuration=300",
            "workflow.prefetchCount=700",
            "nothing was turned that has to stay"
        ),
        ("survive-stage-4", "run 4 --set workflow.prefetchCount=700", null, null),
        ("survive-stage-4", "run 4 --set workflow.prefetchCount=0", null, null),
        ("survive-stage-4", "run 4", null, "no lock is lost"),
        (
            "survive-stage-4",
            "run 4 --set workflow.prefetchCount=0 --set workflow.maxConcurrentCalls=1",
            null,
            "it completes as many messages as stage 5"
        ),
        ("survive-stage-4", "run 4 --set queue.lockDuration=300", null, "nothing was turned that has to stay"),
        ("largest-prefetch", "run 4 --set queue.lockDuration=30 --set workflow.prefetchCount=700", null, null),
        ("largest-prefetch", "run 4 --set queue.lockDuration=30 --set workflow.prefetchCount=718 --k 4", null, null),
        ("largest-prefetch", "run 4 --set queue.lockDuration=30 --set workflow.prefetchCount=700 --k 7", null, null),
        ("largest-prefetch", "run 4 --set queue.lockDuration=30 --set workflow.prefetchCount=750 --k 13", null, null),
        (
            "largest-prefetch",
            "run 4 --set queue.lockDuration=29 --set workflow.prefetchCount=700 --k 7",
            null,
            "a message is locked for 30 s"
        ),
        (
            "largest-prefetch",
            "run 4 --set queue.lockDuration=30 --set workflow.prefetchCount=640",
            null,
            "none much larger would do"
        ),
        (
            "largest-prefetch",
            "run 4 --set queue.lockDuration=30 --set workflow.prefetchCount=800",
            null,
            "no lock is lost"
        ),
        ("half-the-workflows", "run 6 --replicas workflow=3,package=3,dronescheduler=3,delivery=3", null, null),
        ("half-the-workflows", "run 6-long --replicas workflow=3,package=3,dronescheduler=3,delivery=3", null, null),
        ("half-the-workflows", "run 6", null, "half of the Workflows are gone"),
        ("half-the-workflows", "run 6 --replicas workflow=3", null, "no node is at its limit"),
        ("half-the-workflows", "run 6 --replicas workflow=1", null, "it completes as many messages as stage 6"),
        (
            "half-the-workflows",
            "run 6 --replicas workflow=3 --set nodes.count=24",
            null,
            "nothing was turned that has to stay"
        ),
        ("survive-an-outage", $"run 5-clean --fault '{Outage}' --set workflow.retryFor=3600", null, null),
        (
            "survive-an-outage",
            "run 5-clean --fault 'pause redis at 120s for 60s' --set workflow.holdDuringOutage=on",
            null,
            null
        ),
        ("survive-an-outage", $"run 5-clean --fault '{Outage}'", null, "no request is dead-lettered"),
        ("survive-an-outage", "run 5-clean --set workflow.retryFor=3600", null, "one of the four outages happened"),
        (
            "survive-an-outage",
            $"run 5-clean --fault '{Outage}' --set redis.maxMemory=0",
            null,
            "nothing was turned that has to stay"
        ),
    ];

    internal static IEnumerable<string> Solutions =>
        Attempts.Where(it => it.Missing is null).Select(it => it.Run).Distinct();

    public static TheoryData<string, string, string?, string?> All =>
        [.. Attempts.Select(it => (it.Exercise, it.Run, it.Answer, it.Missing))];

    [Theory, MemberData(nameof(All))]
    public void Attempt_reports_the_missing_condition(string exercise, string run, string? answer, string? missing)
    {
        var findings = Check(exercise, run, answer);

        Assert.Equal(missing, findings.FirstOrDefault(finding => finding.Holds == false)?.Claim);
        Assert.Equal(missing is null, findings.All(finding => finding.Holds == true));
        Assert.All(findings, finding => Assert.Equal(finding.Holds == false, finding.Missing is not null));
    }

    [Fact]
    public void Every_exercise_can_be_solved_and_failed()
    {
        var ids = ExerciseTable.OfRuns.Select(exercise => exercise.Id).Order();

        Assert.All(ExerciseTable.All, exercise =>
            Assert.True(exercise.Hints.Count > 0 && exercise.Because.Length > 0, exercise.Id)
        );
        Assert.Equal(ids, Attempts.Where(it => it.Missing is null).Select(it => it.Exercise).Distinct().Order());
        Assert.Equal(ids, Attempts.Where(it => it.Missing is not null).Select(it => it.Exercise).Distinct().Order());
    }

    [Fact]
    public void Conditions_after_a_missing_one_are_not_evaluated()
    {
        var findings = Check("survive-stage-4", "run 4", null);

        Assert.Equal([true, false, null, null], findings.Select(finding => finding.Holds));
        Assert.Matches("^[0-9,]+ messages were delivered again", findings[1].Missing);
    }

    [Fact]
    public void Invalid_incomplete_or_unrelated_run_is_rejected()
    {
        var tooBusy = ComputedRun.Run("run 4", measured =>
            measured with
            {
                Series = new([
                    .. measured.Series.Samples.Select(sample => sample with { MachineBusy = sample.At * 0.9 }),
                ]),
            }
        );
        var whole = ComputedRun.Run("run 4");
        var incomplete = whole with
        {
            Stages =
            [
                .. whole.Stages.Select(stage =>
                    stage with
                    {
                        Outcome = Outcomes.Incomplete,
                        Reason = "It was stopped.",
                    }
                ),
            ],
        };

        Assert.Contains(
            "is void and can't be graded: The machine was the bottleneck",
            RejectionOf(tooBusy),
            StringComparison.Ordinal
        );
        Assert.Contains(
            "is incomplete and can't be graded: It was stopped.",
            RejectionOf(incomplete),
            StringComparison.Ordinal
        );
        Assert.Contains(
            "has no stage 4. Begin with ./lab run 4,",
            RejectionOf(ComputedRun.Run("run 2")),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public void Answer_is_required_exactly_where_the_exercise_has_one()
    {
        Assert.Equal(
            "Say what you found: ./lab learn first-knob --answer 'KNOB=VALUE'",
            Assert.Throws<BadInputException>(() => Of("first-knob").RequireAnswer(null)).Message
        );
        Assert.StartsWith(
            "survive-stage-4 takes no --answer",
            Assert.Throws<BadInputException>(() => Of("survive-stage-4").RequireAnswer("x")).Message,
            StringComparison.Ordinal
        );
        AssertHas(
            Assert.Throws<BadInputException>(() => Check("first-knob", "run 4", "workflow.prefetchCont=1")).Message,
            "Did you mean workflow.prefetchCount?"
        );
    }

    private static IReadOnlyList<Finding> Check(string exercise, string run, string? answer) =>
        Of(exercise).Check(Attempt.Of(Of(exercise), ComputedRun.Run(run), answer));

    private static RunExercise Of(string exercise) => (RunExercise)ExerciseTable.Find(exercise);

    private static string RejectionOf(RunRecord run) =>
        Assert.Throws<BadInputException>(() => Attempt.Of(Of("survive-stage-4"), run, null)).Message;
}
