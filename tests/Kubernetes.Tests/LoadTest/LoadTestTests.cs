using System.Text.RegularExpressions;

namespace DroneDelivery.Kubernetes.Tests.LoadTest;

/// <summary><c>k8s/load-test</c> with a <c>kubectl</c> whose Job, or whose operator, ends as it is told.</summary>
public sealed class LoadTestTests
{
    private const string Kubectl = """
        #!/bin/sh
        case "$*" in
          *" get jobs "*) echo "$FAILED" ;;
          *" get "*) echo "$ENDED" ;;
          *" logs --selector "*) echo "$LOG" ;;
          *" logs "*) [ -n "$LOG" ] && echo "$LOG" ;;
          *" create configmap "*) echo "$@" >"$(dirname "$0")/created" ;;
          *) cat >>"$(dirname "$0")/applied" ;;
        esac
        """;

    [Theory]
    [InlineData("", "SuccessCriteriaMet Complete ", "", "{ \"sent\": 5 }", 0)]
    [InlineData("", "FailureTarget Failed ", "", "{ \"sent\": 5 }", 99)] // requests failed
    [InlineData("", "FailureTarget Failed ", "", "", 1)] // the deadline has taken the pod away, and the summary with it
    [InlineData("4", "TestRunRunning finished", "", "{ \"sent\": 5 }", 0)]
    [InlineData("4", "TestRunRunning finished", "1", "{ \"sent\": 5 }", 99)]
    [InlineData("4", " error", "", "", 1)] // the script does not compile
    public async Task The_summary_is_brought_back_with_its_verdict(
        string runners,
        string ended,
        string failed,
        string log,
        int exitCode
    )
    {
        Tool.Require("bash");
        using var kubectl = await ToolImitation.CreateAsync(Kubectl, "kubectl");
        var (profile, summary) = (
            Path.Combine(kubectl.Folder, "profile.json"),
            Path.Combine(kubectl.Folder, "summary.json")
        );

        var result = await Tool.TryAsync(
            "bash",
            ["k8s/load-test", profile, summary],
            environment: new([
                kubectl.Path,
                new("RUNNERS", runners),
                new("ENDED", ended),
                new("FAILED", failed),
                new("LOG", log),
                new("SEED", "7"),
            ])
        );

        Assert.True(result.ExitCode == exitCode, $"{result.ExitCode}: {result.Error}");
        Assert.Equal(log, (await File.ReadAllTextAsync(summary, TestContext.Current.CancellationToken)).Trim());
        var created = await File.ReadAllTextAsync(
            Path.Combine(kubectl.Folder, "created"),
            TestContext.Current.CancellationToken
        );
        Assert.Contains($"--from-file=profile.json={profile} ", created, StringComparison.Ordinal);
        Assert.Contains("seed=7", created, StringComparison.Ordinal);
        var applied = await File.ReadAllTextAsync(
            Path.Combine(kubectl.Folder, "applied"),
            TestContext.Current.CancellationToken
        );
        Assert.Equal(runners == "" ? "" : "parallelism: 4", Regex.Match(applied, "parallelism: .*").Value);
    }

    [Fact]
    public void A_runner_of_the_operator_is_what_the_pod_of_the_job_is()
    {
        var job = Load("load-test.yaml")[0]["spec"]!["template"]!;
        var runner = Load("load-test-operator.yaml")[0]["spec"]!["runner"]!;
        var (pod, container) = (job["spec"]!, job["spec"]!["containers"]![0]!);

        Assert.Equal(Text(job["metadata"]!["labels"]), Text(runner["metadata"]!["labels"]));
        Assert.All(["securityContext", "volumes", "automountServiceAccountToken"], key =>
            Assert.Equal(Text(pod[key]), Text(runner[key]))
        );
        Assert.Equal(Text(container["securityContext"]), Text(runner["containerSecurityContext"]));
        Assert.All(["image", "imagePullPolicy", "env", "resources", "volumeMounts"], key =>
            Assert.Equal(Text(container[key]), Text(runner[key]))
        );
    }

    [Fact]
    public void The_job_ends_by_itself_and_later_than_the_longest_stage()
    {
        var job = Load("load-test.yaml").Single();
        var longest = DroneDelivery.Lab.Stages.Stage.All().Max(stage => stage.Knobs.Number("load.duration", 480));

        Assert.InRange(
            int.Parse(job["spec"]!["activeDeadlineSeconds"]!.ToString(), provider: null),
            longest + 60,
            2 * 3600
        );
    }

    private static IReadOnlyList<JsonNode> Load(string file) => Yaml.Documents(Read($"k8s/{file}"));

    private static string Text(JsonNode? node) => node!.ToJsonString();
}
