using System.Text.RegularExpressions;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Workshop;

/// <summary>The exercises of docs/tutorials, in the order of the workshop and of the KQL primer.</summary>
/// <remarks>Solutions are in docs/tutorials/workshop-teacher.md.</remarks>
internal static class ExerciseTable
{
    private const string Prefetch = "workflow.prefetchCount",
        Calls = "workflow.maxConcurrentCalls",
        Lock = "queue.lockDuration",
        Workflows = "workflow.replicas";

    /// <summary>The lock duration of <c>largest-prefetch</c> without time scaling, in seconds.</summary>
    private const double ShortLock = 30;

    /// <summary>A tolerance in seconds, larger than the rounding of scaled knobs in run.json.</summary>
    private const double Rounding = 1e-4;

    /// <summary>The share of the limit that counts as the largest prefetch count. It tolerates a short stall of the machine.</summary>
    private const double NearTheLimit = 0.85;

    /// <summary>The CPU utilization in percent at which a node is at its limit, as in check 5h.</summary>
    private const double AtItsLimit = 92;

    /// <summary>Faults that dead-letter messages of the unchanged stage and leave time to recover.</summary>
    private static readonly string[] Outages =
    [
        "fill redis at 120s for 60s",
        "pause redis at 120s for 60s",
        "fail delivery 100% at 120s for 60s",
        "fail package 30% at 120s for 60s",
    ];

    /// <summary>The knobs that apply to a message whose calls have failed.</summary>
    private static readonly string[] Recovery =
    [
        "workflow.retryFor",
        "workflow.retryDelay",
        "workflow.holdDuringOutage",
        "queue.maxDeliveryCount",
        "http.retryDelays",
        "http.retryJitter",
    ];

    public static IReadOnlyList<RunExercise> OfRuns { get; } =
    [
        new(
            "failing-dependency",
            "Round 1: which service fails in stage 1, with which result code or exception, and which resource is exhausted? Use only telemetry.",
            "1",
            "run 1",
            ["telemetry.redis"],
            attempt =>
                [
                    new(
                        "there are failures to explain",
                        attempt.Figure("http.5xx") > 0,
                        "No request failed in this run."
                    ),
                    new(
                        "the answer has three parts",
                        attempt.Parts.Count == 3,
                        "Write them as in --answer 'package, 404, its disk is slow'."
                    ),
                    new(
                        "the service that fails is named",
                        attempt.Part(0).Equals("delivery", StringComparison.OrdinalIgnoreCase),
                        "Which one service answers with 5xx? Others only pass it on."
                    ),
                    Says(
                        attempt,
                        1,
                        "the result code or the exception",
                        "5[0-9][0-9]|5xx|RedisServerException",
                        "What does it answer, or what does it throw? Telemetry has a number for the one and a type for the other."
                    ),
                    Says(
                        attempt,
                        2,
                        "the store",
                        "redis|cache",
                        "That is no cause. What does the exception say, and of which store?"
                    ),
                    Says(
                        attempt,
                        2,
                        "what it lacks",
                        "OOM|maxmemory|memory|full",
                        "What does that store lack? The exception says it."
                    ),
                ]
        )
        {
            Answer = "SERVICE, RESULT, CAUSE",
            Hints =
            [
                "`./lab query failures-by-target --stage 1` lists the calls that fail.",
                "`./lab query failing-transaction --stage 1` shows one request with its retries; open the exception of the last service.",
            ],
            Because =
                "Keys never expire, so Redis fills up. Each failing message then keeps a handler busy for all of its retries.",
        },
        new(
            "first-knob",
            "Round 4: which knob of stage 4 do you change first, and to what value? You can't change the lock duration.",
            "4",
            "run 4",
            [],
            attempt =>
                [
                    new("there is a collapse to cure", attempt.Figure("redelivered") > 0, "This run lost no lock."),
                    new(
                        "it shortens the wait of a message, for nothing",
                        ProposedPrefetch(attempt) is not null,
                        $"{attempt.Answer} is not the one to turn first: another shortens the wait of a message at its receiver, "
                            + "and costs nothing."
                    ),
                    new(
                        "no message would wait longer than its lock",
                        ProposedPrefetch(attempt) <= attempt.PrefetchLimit,
                        "The last message of a full buffer would still wait longer than its lock lasts: "
                            + "messages held / messages per second of one replica."
                    ),
                    new(
                        "no handler would wait for messages",
                        ProposedPrefetch(attempt) is 0 || ProposedPrefetch(attempt) >= attempt.Knob(Calls),
                        "A Workflow would hold fewer messages than it handles at a time. Values are those of a full-length run."
                    ),
                ]
        )
        {
            Answer = "KNOB=VALUE",
            Hints =
            [
                "`./lab query buffer-wait --stage 4`: how long a message waits in a receiver. How long does its lock last?",
                "Divide the rate of outgoing messages by the number of Workflow replicas. How many messages can wait for one if a lock lasts 60 s?",
            ],
            Because = "With less prefetch the last message of a full buffer waits less than its lock lasts.",
        },
        new(
            "survive-stage-4",
            "Round 4: verify your change. Run stage 4 with it: same lock duration, no lost or redelivered messages, and the rate that the CPU allows.",
            "4",
            "run 4",
            [Prefetch, Calls, .. Replicas],
            attempt =>
                [
                    LosesNoLock(attempt),
                    new(
                        "nothing is dead-lettered",
                        attempt.Figure("deadLettered.final") == 0,
                        $"{NumberText.Of(attempt.Figure("deadLettered.final"))} messages were dead-lettered."
                    ),
                    AsFastAs(attempt, "5", "completed.lastThird", 0.9),
                ]
        )
        {
            Hints =
            [
                "Which buffer is so small that its last message is handled within its lock?",
                "The other way needs no buffer at all.",
            ],
            Because =
                "With a prefetch of 700 the last message waits less than half of its lock; without prefetch none waits.",
        },
        new(
            "largest-prefetch",
            "Round 4, for fast groups: what is the largest safe prefetch count if a lock lasts 30 s?",
            "4",
            $"run 4 --set {Lock}={ShortLock}",
            [Lock, Prefetch],
            attempt =>
                [
                    new(
                        $"a message is locked for {ShortLock} s",
                        Math.Abs(FullLock(attempt) - ShortLock) < attempt.Run.K * Rounding,
                        $"In this run it is {FullLock(attempt):0.##} s."
                    ),
                    LosesNoLock(attempt),
                    new(
                        "none much larger would do",
                        attempt.Knob(Prefetch) >= NearTheLimit * attempt.PrefetchLimit,
                        "A much larger prefetch would lose no lock either."
                    ),
                ]
        )
        {
            Hints =
            [
                "The limit is lock × messages a second of one Workflow + half of its handlers.",
                "Calculate it for the shortened run, 30 s / 8, and multiply by 8 for --set.",
            ],
            Because =
                "The limit is 3.75 × 23.6 + 10 = 98.5, and 8 × 98.5 = 788. In production take half: a machine may stall.",
        },
        new(
            "half-the-workflows",
            "Round 6: run stage 6 with half of its Workflow replicas. Keep its throughput, and the CPU of every node below 92 %.",
            "6",
            "run 6 --replicas workflow=3",
            [.. Replicas],
            attempt =>
                [
                    new(
                        "half of the Workflows are gone",
                        attempt.Knob(Workflows) <= Stage.Load("6").Knobs.Number(Workflows, 0) / 2,
                        $"{attempt.Knob(Workflows)} are left."
                    ),
                    AsFastAs(attempt, "6", "completed.plateau", 0.95),
                    new(
                        "no node is at its limit",
                        attempt.Figure("node.busiest") < AtItsLimit,
                        $"The busiest node is busy for {attempt.Figure("node.busiest"):0} % of the time. What runs on it?"
                    ),
                ]
        )
        {
            Hints =
            [
                "`./lab query node-cpu --stage 6` shows the busiest nodes. What else runs beside a Workflow there?",
                "Replicas are placed on the nodes in turn: with fewer back ends each Workflow has a node to itself.",
            ],
            Because =
                "With nine of each back end a node has a Workflow and two of them: 23.3 ms a delivery. With three it is 20 ms.",
        },
        new(
            "survive-an-outage",
            "After the workshop: Redis accepts no writes for a minute. With which knobs do no deliveries fail? The page lists three more outages.",
            "5-clean",
            $"run 5-clean --fault '{Outages[0]}'",
            ["--fault", .. Recovery],
            attempt =>
                [
                    new(
                        "one of the four outages happened",
                        Outages.Contains(attempt.Run.Changed.GetValueOrDefault("--fault")),
                        "Play one of the page's four faults, as it is."
                    ),
                    new(
                        "no request is dead-lettered",
                        attempt.Figure("deadLettered.final") == 0,
                        $"{NumberText.Of(attempt.Figure("deadLettered.final"))} messages were dead-lettered."
                    ),
                    new(
                        "the queue is empty in the end",
                        attempt.Played.Final?.Queued == 0,
                        $"{NumberText.Of(attempt.Played.Final?.Queued ?? double.NaN)} messages still wait."
                    ),
                ]
        )
        {
            Hints =
            [
                "`./lab query dead-letter-reasons --stage 5-clean`: who gives the message up, and after how many deliveries?",
                "What does Workflow do with a message whose calls have failed? What could it do instead, while the outage lasts?",
            ],
            Because =
                "The queue can keep a message for as long as an outage lasts, if Workflow gives it back instead of giving it up.",
        },
    ];

    public static IReadOnlyList<Exercise> All { get; } = [.. OfRuns, .. KqlExerciseTable.All];

    public static Exercise Find(string id) => Nearest.Named("an exercise", id, All, exercise => exercise.Id);

    /// <summary>The run's lock duration without time scaling, in seconds.</summary>
    private static double FullLock(Attempt attempt) => attempt.Knob(Lock) * attempt.Run.K;

    private static IEnumerable<string> Replicas => Service.All.Select(service => service.ReplicasKnob);

    private static Finding LosesNoLock(Attempt attempt) =>
        new(
            "no lock is lost",
            attempt.Figure("redelivered") == 0,
            $"{NumberText.Of(attempt.Figure("redelivered"))} messages were delivered again, because their locks had expired."
        );

    /// <param name="share">The share of the model's prediction for that stage.</param>
    private static Finding AsFastAs(Attempt attempt, string stage, string figure, double share) =>
        new(
            $"it completes as many messages as stage {stage}",
            attempt.Figure(figure) >= share * Predicted(attempt, stage, figure),
            $"{NumberText.Of(attempt.Figure(figure))}/s, "
                + $"where stage {stage} completes {NumberText.Of(Predicted(attempt, stage, figure))}/s."
        );

    private static double Predicted(Attempt attempt, string stage, string figure) =>
        Stage.Load(stage).Prediction(figure, attempt.Run.K)!.Value;

    /// <param name="words">The words, any of which must occur.</param>
    private static Finding Says(Attempt attempt, int part, string what, string words, string missing) =>
        new(
            $"{what} is named",
            Regex.IsMatch(
                attempt.Part(part),
                $@"\b({words})\b",
                RegexOptions.IgnoreCase | RegexOptions.CultureInvariant
            ),
            missing
        );

    /// <summary>The prefetch count in the answer, scaled like the run's; <c>null</c> if the answer contains none.</summary>
    private static double? ProposedPrefetch(Attempt attempt) =>
        KnobSet.Parse([attempt.Answer]).Shorten(attempt.Run.K)[Prefetch]?.Number;
}
