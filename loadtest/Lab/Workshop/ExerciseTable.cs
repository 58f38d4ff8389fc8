using System.Text.RegularExpressions;
using DroneDelivery.Lab.Forecasts;
using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Workshop;

/// <summary>Every exercise of docs/workshop.md, in its order, then those of docs/kql-primer.md and of the experiments.</summary>
/// <remarks>Solutions are in docs/workshop-teacher.md.</remarks>
internal static class ExerciseTable
{
    private const string
        Prefetch = "workflow.prefetchCount",
        Calls = "workflow.maxConcurrentCalls",
        Lock = "queue.lockDuration",
        Workflows = "workflow.replicas";

    /// <summary>Seconds of lock in <c>largest-prefetch</c>, at full length.</summary>
    private const double ShortLock = 30;

    /// <summary>Seconds, and more than the digits that run.json leaves out of a shortened knob.</summary>
    private const double Rounding = 1e-4;

    /// <summary>
    /// Share of the limit that counts as the largest prefetch: a machine that stalls for half a second must not take the answer away.
    /// </summary>
    private const double NearTheLimit = 0.85;

    /// <summary>Percent of a node from which on it is at its limit, as in check 5h.</summary>
    private const double AtItsLimit = 92;

    public static IReadOnlyList<RunExercise> OfRuns { get; } =
    [
        new(
            "failing-dependency",
            "Stage 1 fails. From telemetry alone, in one sentence: which service fails, with which result code or exception, and because "
                + "of what?",
            "1",
            "run 1",
            ["telemetry.redis"],
            [
                new("there are failures to explain", attempt => attempt.Figure("http.5xx") > 0, _ => "No request failed in this run."),
                Says("the service that fails", "delivery", "Which service answers with 5xx? Others only pass it on."),
                new("no service that answers is blamed", attempt => !Names(attempt, "package|dronescheduler"),
                    _ => "One of the services that you name answers every call."),
                Says("the result code or the exception", "5[0-9][0-9]|5xx|RedisServerException",
                    "What does it answer, or what does it throw? Telemetry has a number for the one and a type for the other."),
                new("it is a sentence that gives a reason", attempt => Reason.Of(attempt.Answer) is not null,
                    _ => "Words alone are no reason: say what fails, then because, and then why."),
                new("the reason is the cause", attempt => Reason.Of(attempt.Answer)!.Explains,
                    attempt => $"This is no cause: {Reason.Of(attempt.Answer)!.Cause}. What does the exception say, and of whom?"),
                new("the reason is not denied", attempt => !Reason.Of(attempt.Answer)!.IsDenied,
                    _ => "Your reason says that it is not so."),
            ])
        { Answer = "SENTENCE" },
        new(
            "first-knob", "Stage 4 collapses, and the lock cannot be changed. Which knob do you turn first, and to what?", "4", "run 4", [],
            [
                new("there is a collapse to cure", attempt => attempt.Figure("redelivered") > 0, _ => "This run lost no lock."),
                new("it shortens the wait of a message, for nothing", attempt => ProposedPrefetch(attempt) is not null,
                    attempt => $"{attempt.Answer} is not the one to turn first: another shortens the wait of a message at its receiver, "
                        + "and costs nothing."),
                new("no message would wait longer than its lock", attempt => ProposedPrefetch(attempt) <= attempt.PrefetchLimit,
                    _ => "The last message of a full buffer would still wait longer than its lock lasts: "
                        + "messages held / messages per second of one replica."),
                new("no handler would wait for messages",
                    attempt => ProposedPrefetch(attempt) is 0 || ProposedPrefetch(attempt) >= attempt.Knob(Calls),
                    _ => "A Workflow would hold fewer messages than it handles at a time. Values are those of a full-length run."),
            ])
        { Answer = "KNOB=VALUE" },
        new(
            "survive-stage-4",
            "Make stage 4 survive without touching the lock, and work as fast as stage 5.",
            "4",
            "run 4",
            [Prefetch, Calls, .. Replicas],
            [
                LosesNoLock,
                new("nothing is dead-lettered", attempt => attempt.Figure("deadLettered.final") == 0,
                    attempt => $"{NumberText.Of(attempt.Figure("deadLettered.final"))} messages were dead-lettered."),
                AsFastAs("5", "completed.lastThird", 0.9),
            ]),
        new(
            "largest-prefetch",
            "What is the largest prefetch that loses no lock when a lock lasts 30 s?",
            "4",
            $"run 4 --set {Lock}={ShortLock}",
            [Lock, Prefetch],
            [
                new($"a message is locked for {ShortLock} s",
                    attempt => Math.Abs(FullLock(attempt) - ShortLock) < attempt.Run.K * Rounding,
                    attempt => $"In this run it is {FullLock(attempt):0.##} s."),
                LosesNoLock,
                new("none much larger would do", attempt => attempt.Knob(Prefetch) >= NearTheLimit * attempt.PrefetchLimit,
                    _ => "A much larger prefetch would lose no lock either."),
            ]),
        new(
            "half-the-workflows",
            "Give stage 6 half of its Workflow replicas. Keep its throughput, and no node at its limit.",
            "6",
            "run 6 --replicas workflow=3",
            [.. Replicas],
            [
                new("half of the Workflows are gone",
                    attempt => attempt.Knob(Workflows) <= Stage.Load("6").Knobs.Number(Workflows, 0) / 2,
                    attempt => $"{attempt.Knob(Workflows)} are left."),
                AsFastAs("6", "completed.plateau", 0.95),
                new("no node is at its limit", attempt => attempt.Figure("node.busiest") < AtItsLimit,
                    attempt => $"The busiest node is busy for {attempt.Figure("node.busiest"):0} % of the time. What runs on it?"),
            ]),
    ];

    public static IReadOnlyList<Exercise> All { get; } =
        [.. OfRuns, ReplicaExercise.Only, .. KqlExerciseTable.All, .. ExperimentExerciseTable.All];

    /// <exception cref="BadInputException">No exercise of that name; the message has the nearest.</exception>
    public static Exercise Find(string id) => Nearest.Named("an exercise", id, All, exercise => exercise.Id);

    /// <summary>Seconds of lock that the run had at full length.</summary>
    private static double FullLock(Attempt attempt) => attempt.Knob(Lock) * attempt.Run.K;

    private static IEnumerable<string> Replicas => Service.All.Select(service => service.ReplicasKnob);

    private static Condition<Attempt> LosesNoLock => new(
        "no lock is lost",
        attempt => attempt.Figure("redelivered") == 0,
        attempt => $"{NumberText.Of(attempt.Figure("redelivered"))} messages were delivered again, because their locks had expired.");

    /// <param name="share">Of what the model predicts for that stage.</param>
    private static Condition<Attempt> AsFastAs(string stage, string figure, double share) => new(
        $"it completes as many messages as stage {stage}",
        attempt => attempt.Figure(figure) >= share * Predicted(attempt, stage, figure),
        attempt => $"{NumberText.Of(attempt.Figure(figure))}/s, "
            + $"where stage {stage} completes {NumberText.Of(Predicted(attempt, stage, figure))}/s.");

    private static double Predicted(Attempt attempt, string stage, string figure) =>
        Stage.Load(stage).Prediction(figure, attempt.Run.K)!.Value;

    private static Condition<Attempt> Says(string what, string words, string missing) =>
        new($"{what} is named", attempt => Names(attempt, words), _ => missing);

    /// <param name="words">Any of these, as a whole word.</param>
    private static bool Names(Attempt attempt, string words) =>
        Regex.IsMatch(attempt.Answer, $@"\b({words})\b", RegexOptions.IgnoreCase | RegexOptions.CultureInvariant);

    /// <summary>The prefetch that the answer proposes, shortened like the run's own; null where it proposes something else.</summary>
    private static double? ProposedPrefetch(Attempt attempt) => KnobSet.Parse([attempt.Answer]).Shorten(attempt.Run.K)[Prefetch]?.Number;
}
