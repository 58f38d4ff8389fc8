namespace DroneDelivery.Lab.Workshop;

/// <summary>An exercise for each of the articles that have an experiment; each is on its page of docs/tutorials/experiments.</summary>
internal static class ExperimentExerciseTable
{
    private const double Clients = 2000,
        NoLimit = 256;

    /// <summary>Percent of a server.</summary>
    private const double AtItsLimit = 97;

    public static IReadOnlyList<ExperimentExercise> All { get; } =
    [
        new(
            "share-without-limit",
            "A share takes writes of any size in one piece. Which of the checks disk-a to disk-h no longer hold? Predict, then play it.",
            "disk-writes",
            "share",
            ["share.largestWrite"],
            attempt =>
                [
                    new(
                        $"no write of up to {NoLimit} MiB is split",
                        attempt.Knob("share.largestWrite") >= NoLimit,
                        $"More than {attempt.Knob("share.largestWrite")} MiB are still sent in pieces of 1 MiB."
                    ),
                    new(
                        "only checks that fail are named",
                        !attempt.Named.Except(attempt.Failing).Any(),
                        $"{attempt.Named.Except(attempt.Failing).Count()} of those that you name hold, or are none."
                    ),
                    new(
                        "every check that fails is named",
                        !attempt.Failing.Except(attempt.Named).Any(),
                        $"{attempt.Failing.Except(attempt.Named).Count()} more fail. What is true of the article's share "
                            + "only because it splits large writes?"
                    ),
                ]
        )
        {
            Answer = "CHECK, CHECK, …",
            Hints =
            [
                "Play it with `--set share.largestWrite=256`. Which checks compare one large write with several small ones?",
            ],
            Because = "Without the split a larger buffer only saves round trips, so one write of 256 MiB is best.",
        },
        new(
            "least-concurrency",
            $"{NumberText.Of(Clients)} clients come, and the quota stays at 250 instances. How few requests at a time may an instance "
                + "take, if nobody is to wait for one? How many requests a second does the app serve then?",
            "http-scale",
            "c4",
            ["load.clients", "app.concurrency"],
            attempt =>
                [
                    new(
                        $"{NumberText.Of(Clients)} clients came",
                        attempt.Knob("load.clients") == Clients,
                        $"In this run there were {NumberText.Of(attempt.Knob("load.clients"))}."
                    ),
                    new(
                        "nobody waits for an instance",
                        attempt.Figure("instances") * attempt.Knob("app.concurrency") >= Clients,
                        $"{NumberText.Of(attempt.Figure("instances"))} instances take "
                            + $"{NumberText.Of(attempt.Figure("instances") * attempt.Knob("app.concurrency"))} requests at a time."
                    ),
                    new(
                        "with fewer at a time somebody would",
                        (attempt.Knob("app.concurrency") - 1) * attempt.Knob("scale.quota") < Clients,
                        "Fewer would do, and each request would take less time."
                    ),
                    Predicts(
                        attempt,
                        "its throughput",
                        "rps",
                        "/s",
                        within: 0.1,
                        "How many does a full instance serve in a millisecond?"
                    ),
                ]
        )
        {
            Answer = "REQUESTS A SECOND",
            Hints = ["A full instance serves c / (12.0 + 4.08 · c) requests a millisecond."],
            Because = "2,000 / 250 = 8 at a time; 250 × 8 / (12.0 + 4.08 × 8) = 44.8 requests a millisecond.",
        },
        new(
            "fewest-hosts",
            "How few S1 serve 20,000 users and refuse nobody? "
                + "How many seconds does a user wait for the pixel then, in the mean of the ramp?",
            "tracking-pixel",
            "s1x1",
            ["site.hosts"],
            attempt =>
                [
                    new(
                        "nobody is refused",
                        attempt.Figure("failed") == 0,
                        $"{NumberText.Of(attempt.Figure("failed"))} hits were refused."
                    ),
                    new(
                        "with one host less somebody would be",
                        (attempt.Knob("site.hosts") - 1) * attempt.Knob("host.queueLimit") < attempt.Knob("load.users"),
                        "One host less would have room for all users, too."
                    ),
                    Predicts(
                        attempt,
                        "the latency",
                        "seconds",
                        " s",
                        within: 0.15,
                        "How many users are inside, in the mean, and what do the cores manage?"
                    ),
                ]
        )
        {
            Answer = "SECONDS",
            Hints =
            [
                "A host holds 3,500 hits at a time, and the ramp ends with 20,000 users.",
                "A hit costs 12.3 ms of a core, and users wait users / throughput: 10,000 of them on average.",
            ],
            Because =
                "20,000 / 3,500 = 5.7, so six hosts. They serve 488 hits a second, and 10,000 users wait 20.5 s on average.",
        },
        new(
            "servers-enough",
            "How few servers does the gateway need, if 2,500 users are not to wait for them but for the back end? "
                + "How many requests a second does it answer then?",
            "gateway-policies",
            "forward",
            ["gateway.servers"],
            attempt =>
                [
                    new(
                        "the servers have time",
                        attempt.Figure("cpu") < AtItsLimit,
                        $"They are busy for {attempt.Figure("cpu"):0} % of the time, "
                            + $"and users wait {attempt.Figure("seconds"):0.00} s."
                    ),
                    new(
                        "one server less would have none",
                        (attempt.Knob("gateway.servers") - 1) * AnswersOfAServer(attempt) < attempt.Figure("rps"),
                        "One server less would manage as much."
                    ),
                    Predicts(
                        attempt,
                        "its throughput",
                        "rps",
                        "/s",
                        within: 0.05,
                        "What is left of a user's round when nobody waits for a server?"
                    ),
                ]
        )
        {
            Answer = "REQUESTS A SECOND",
            Hints = ["If no server is busy, a user waits 0.06 s for the back end and thinks for 1.5 s."],
            Because =
                "2,500 users / (1.5 s + 0.06 s) = 1,600/s: four servers of 350/s are always busy, and five are not.",
        },
    ];

    /// <summary>A second, when it is always busy.</summary>
    private static double AnswersOfAServer(ExperimentAttempt attempt) =>
        1000 / (attempt.Knob("policy.answer") + attempt.Knob("policy.forward"));

    /// <param name="within">Share by which the prediction may be wrong.</param>
    private static Condition Predicts(
        ExperimentAttempt attempt,
        string what,
        string figure,
        string unit,
        double within,
        string hint
    ) =>
        new(
            $"{what} was predicted within {within:0 %}",
            Math.Abs(attempt.Number / attempt.Figure(figure) - 1) <= within,
            double.IsNaN(attempt.Number)
                ? $"{attempt.Answer} is not a number."
                : $"You said {NumberText.Of(attempt.Number)}{unit}. {hint}"
        );
}
