using DroneDelivery.Lab.Workshop;

namespace DroneDelivery.Lab.Tests.Workshop;

[Trait("tier", "slow")]
public sealed class ExperimentExerciseTests
{
    private const string WithoutLimit = "disk-a, disk-b, disk-c, disk-g, disk-h";

    /// <summary>Exercise, knobs, answer, and which condition is missing; null: none.</summary>
    private static readonly IReadOnlyList<(string Exercise, string Set, string Answer, string? Missing)> Attempts =
    [
        ("share-without-limit", "share.largestWrite=256", WithoutLimit, null),
        ("share-without-limit", "share.largestWrite=1024", "disk-h disk-g disk-c disk-b disk-a", null),
        ("share-without-limit", "", WithoutLimit, "no write of up to 256 MiB is split"),
        ("share-without-limit", "share.largestWrite=256", WithoutLimit + ", disk-d", "only checks that fail are named"),
        ("share-without-limit", "share.largestWrite=256", "disk-a, disk-b, disk-c", "every check that fails is named"),
        (
            "share-without-limit",
            "share.largestWrite=256 share.operation=10",
            WithoutLimit,
            "nothing was turned that has to stay"
        ),
        ("least-concurrency", "load.clients=2000 app.concurrency=8", "44,800", null),
        (
            "least-concurrency",
            "load.clients=2000 app.concurrency=8",
            "33000",
            "its throughput was predicted within 10 %"
        ),
        (
            "least-concurrency",
            "load.clients=2000 app.concurrency=8",
            "many",
            "its throughput was predicted within 10 %"
        ),
        ("least-concurrency", "", "33000", "2,000 clients came"),
        ("least-concurrency", "load.clients=2000 app.concurrency=7", "40000", "nobody waits for an instance"),
        ("least-concurrency", "load.clients=2000 app.concurrency=10", "40000", "with fewer at a time somebody would"),
        ("least-concurrency", "load.clients=2000 scale.quota=500", "66000", "nothing was turned that has to stay"),
        ("fewest-hosts", "site.hosts=6", "20.5", null),
        ("fewest-hosts", "site.hosts=5", "24", "nobody is refused"),
        ("fewest-hosts", "site.hosts=10", "12.3", "with one host less somebody would be"),
        ("fewest-hosts", "site.hosts=6", "41", "the latency was predicted within 15 %"),
        ("fewest-hosts", "site.hosts=6 host.cores=4", "10", "nothing was turned that has to stay"),
        ("servers-enough", "gateway.servers=5", "1600", null),
        ("servers-enough", "gateway.servers=4", "1,400", "the servers have time"),
        ("servers-enough", "gateway.servers=6", "1600", "one server less would have none"),
        ("servers-enough", "gateway.servers=5", "1750", "its throughput was predicted within 5 %"),
        ("servers-enough", "gateway.servers=5 load.users=500", "320", "nothing was turned that has to stay"),
    ];

    public static TheoryData<string, string, string, string?> All =>
        [.. Attempts.Select(it => (it.Exercise, it.Set, it.Answer, it.Missing))];

    [Theory, MemberData(nameof(All))]
    public async Task An_attempt_is_told_what_is_missing(string exercise, string set, string answer, string? missing)
    {
        var it = Of(exercise);

        var findings = it.Check(ExperimentAttempt.Of(it, await PlayAsync(it, set), answer));

        Assert.Equal(missing, findings.FirstOrDefault(finding => finding.Holds == false)?.Claim);
        Assert.Equal(missing is null, findings.All(finding => finding.Holds == true));
        Assert.All(findings, finding => Assert.Equal(finding.Holds == false, finding.Missing is not null));
    }

    [Fact]
    public void Every_article_that_has_an_experiment_has_an_exercise_that_can_be_solved_and_failed_and_turns_its_knobs()
    {
        var ids = ExperimentExerciseTable.All.Select(exercise => exercise.Id).Order().ToList();

        Assert.Equal(
            Experiment.All().Select(experiment => experiment.Name),
            ExperimentExerciseTable.All.Select(exercise => exercise.Experiment).Order(StringComparer.Ordinal)
        );
        Assert.Equal(ids, Attempts.Where(it => it.Missing is null).Select(it => it.Exercise).Distinct().Order());
        Assert.Equal(ids, Attempts.Where(it => it.Missing is not null).Select(it => it.Exercise).Distinct().Order());
        Assert.All(ExperimentExerciseTable.All, it =>
            Assert.Subset(Experiment.Load(it.Experiment).Knobs.Keys.ToHashSet(), it.MayTurn.ToHashSet())
        );
    }

    [Fact]
    public async Task A_record_that_is_incomplete_or_of_something_else_is_refused()
    {
        var it = Of("share-without-limit");
        var record = (await PlayAsync(it, "share.largestWrite=256")).Experiments[0];
        var other = (await PlayAsync(Of("fewest-hosts"), "load.users=100")).Experiments[0];

        AssertHas(
            Refusal(record with { Outcome = Outcomes.Incomplete }, "It was stopped."),
            "is incomplete and can't be graded: It was stopped."
        );
        AssertHas(
            Refusal(record with { Variants = [] }),
            "has no share. Begin with ./lab experiment disk-writes share,"
        );
        Assert.Equal(
            "It has no disk-writes. Begin with ./lab experiment disk-writes share, or name another.",
            Refusal(other)
        );

        string Refusal(ExperimentRecord played, string? reason = null) =>
            Assert
                .Throws<BadInputException>(() =>
                    ExperimentAttempt.Of(it, PlayedExperiment.RunOf([played]) with { Reason = reason }, WithoutLimit)
                )
                .Message;
    }

    [Fact]
    public async Task The_command_takes_the_newest_experiment_of_that_name_and_says_what_to_type_where_there_is_none()
    {
        await using var lab = new LabProcess();
        var experiments = Path.Combine(lab.Artifacts, "experiments");

        var nothing = await lab.RunAsync("learn", "fewest-hosts", "--answer", "20");
        await KeepAsync("2030-01-01T08-00-00-tracking-pixel", "fewest-hosts", "site.hosts=5");
        await KeepAsync("2030-01-01T09-00-00-tracking-pixel", "fewest-hosts", "site.hosts=6");
        await KeepAsync("2030-01-01T10-00-00-disk-writes", "share-without-limit", "");
        var newest = await lab.RunAsync("learn", "fewest-hosts", "--answer", "20");
        var older = await lab.RunAsync("learn", "fewest-hosts", "T08", "--answer", "20");

        Assert.Equal(
            (
                2,
                $"There is no experiment tracking-pixel in {experiments} yet. Play it: ./lab experiment tracking-pixel s1x1."
            ),
            (nothing.ExitCode, nothing.Error.TrimEnd())
        );
        Assert.Equal(0, newest.ExitCode);
        Assert.Contains(
            "Solved with 2030-01-01T09-00-00-tracking-pixel. 20,000 / 3,500 = 5.7",
            newest.Output,
            StringComparison.Ordinal
        );
        Assert.Equal(
            (1, "Not yet, with 2030-01-01T08-00-00-tracking-pixel."),
            (older.ExitCode, older.Output.TrimEnd().Split('\n')[^1])
        );

        async Task KeepAsync(string folder, string exercise, string set) =>
            RunReport.Keep(Path.Combine(experiments, folder), await PlayAsync(Of(exercise), set), telemetry: null);
    }

    private static ExperimentExercise Of(string id) => (ExperimentExercise)ExerciseTable.Find(id);

    private static Task<RunRecord> PlayAsync(ExperimentExercise exercise, string set) =>
        PlayedExperiment.RunAsync(
            exercise.Experiment,
            [exercise.Variant],
            set.Split(' ', StringSplitOptions.RemoveEmptyEntries)
        );
}
