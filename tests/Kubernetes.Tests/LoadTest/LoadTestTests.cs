using System.Text.RegularExpressions;

namespace DroneDelivery.Kubernetes.Tests.LoadTest;

/// <summary><c>k8s/load-test</c> with a fake <c>kubectl</c> whose Job, or operator, ends as specified.</summary>
public sealed class LoadTestTests
{
    private const string Kubectl = """
        #!/bin/sh
        folder=$(dirname "$0")
        case "$*" in
          *" get jobs "*) echo "$FAILED" ;;
          *" get "*) echo "$ENDED" ;;
          *" logs "*) [ -n "$LOG" ] && printf '%s\n' "$LOG" ;;
          *" create "*)
            echo "$@" >>"$folder/created"
            for word in "$@"; do case $word in --from-file=*) cp "${word#--from-file=}" "$folder" ;; esac; done ;;
          *) cat >>"$folder/applied" ;;
        esac
        """;

    private const string Summary = "{\n  \"metrics\": {}\n}";

    private const string Log =
        "time=\"2030-01-01T00:00:00Z\" level=info msg=\"The load begins.\"\n\n  THRESHOLDS\n" + Summary;

    [Theory]
    [InlineData("", "SuccessCriteriaMet Complete ", "", Log, 0)]
    [InlineData("", "FailureTarget Failed ", "", Log, 99)] // A threshold failed.
    [InlineData("", "FailureTarget Failed ", "", "", 1)] // The deadline has removed the pod with its summary.
    [InlineData("4", "TestRunRunning finished", "", Log, 0)]
    [InlineData("4", "TestRunRunning finished", "1", Log, 99)]
    [InlineData("4", " error", "", Log, 1)] // The script does not compile.
    public async Task Summary_is_downloaded_with_its_exit_code(
        string runners,
        string ended,
        string failed,
        string log,
        int exitCode
    )
    {
        Tool.Require("bash", "tar");
        using var kubectl = await FakeTools.CreateAsync(Kubectl, "kubectl");
        var (profile, summary) = (
            Path.Combine(kubectl.Folder, "own-profile.json"),
            Path.Combine(kubectl.Folder, "summary.json")
        );
        await File.WriteAllTextAsync(profile, "{}", TestContext.Current.CancellationToken);

        var result = await Tool.TryAsync(
            "bash",
            ["k8s/load-test", "4-parallel", summary],
            environment: new([
                kubectl.Path,
                new("RUNNERS", runners),
                new("ENDED", ended),
                new("FAILED", failed),
                new("LOG", log),
                new("SEED", "7"),
                new("K", "8"),
                new("PROFILE", profile),
            ])
        );

        Assert.True(result.ExitCode == exitCode, $"{result.ExitCode}: {result.Error}");
        if (log.Length > 0)
            Assert.Equal(Summary, (await ReadAsync(kubectl, "summary.json")).Trim());
        var created = await ReadAsync(kubectl, "created");
        Assert.All(["K=8", "SEED=7", "PROFILE=/load/profile.json"], variable =>
            Assert.Contains($"--from-literal={variable}", created, StringComparison.Ordinal)
        );
        var applied = await ReadAsync(kubectl, "applied");
        Assert.Contains("/load/k6/4-parallel.js", applied, StringComparison.Ordinal);
        Assert.Equal(runners == "" ? "" : "parallelism: 4", Regex.Match(applied, "parallelism: .*").Value);
    }

    [Fact]
    public async Task Several_runners_without_the_operator_are_rejected()
    {
        Tool.Require("bash", "tar");
        const string WithoutOperator = """
            #!/bin/sh
            case "$*" in
              *" get crd "*) exit 1 ;;
              *) echo "$@" >>"$(dirname "$0")/calls" ;;
            esac
            """;
        using var kubectl = await FakeTools.CreateAsync(WithoutOperator, "kubectl");

        var result = await Tool.TryAsync(
            "bash",
            ["k8s/load-test"],
            environment: new([kubectl.Path, new("RUNNERS", "4")])
        );

        Assert.Equal(1, result.ExitCode);
        Assert.Contains("k6 operator", result.Error, StringComparison.Ordinal);
        Assert.False(File.Exists(Path.Combine(kubectl.Folder, "calls")));
    }

    [Fact]
    public async Task Pod_contains_every_file_that_a_script_opens()
    {
        Tool.Require("bash", "tar", "k6");
        using var kubectl = await FakeTools.CreateAsync(Kubectl, "kubectl");
        await Tool.TryAsync(
            "bash",
            ["k8s/load-test", "4-parallel", Path.Combine(kubectl.Folder, "summary.json")],
            environment: new([kubectl.Path, new("ENDED", "Complete "), new("LOG", Log)])
        );
        var load = Directory.CreateDirectory(Path.Combine(kubectl.Folder, "load")).FullName;
        await Tool.RunAsync("tar", ["-xf", Path.Combine(kubectl.Folder, "load.tar"), "-C", load]);

        foreach (var script in Directory.GetFiles(Path.Combine(load, "k6"), "*.js"))
            await Tool.RunAsync("k6", ["inspect", script]);
    }

    private static Task<string> ReadAsync(FakeTools tool, string file) =>
        File.ReadAllTextAsync(Path.Combine(tool.Folder, file), TestContext.Current.CancellationToken);

    [Fact]
    public void Runner_of_the_operator_matches_the_pod_of_the_job()
    {
        var job = Load("load-test.yaml")[0]["spec"]!["template"]!;
        var runner = Load("load-test-operator.yaml")[0]["spec"]!["runner"]!;
        var (pod, container) = (job["spec"]!, job["spec"]!["containers"]![0]!);

        Assert.Equal(Text(job["metadata"]!["labels"]), Text(runner["metadata"]!["labels"]));
        Assert.All(["securityContext", "volumes", "automountServiceAccountToken"], key =>
            Assert.Equal(Text(pod[key]), Text(runner[key]))
        );
        Assert.Equal(Text(container["securityContext"]), Text(runner["containerSecurityContext"]));
        Assert.All(["image", "imagePullPolicy", "env", "envFrom", "resources", "volumeMounts"], key =>
            Assert.Equal(Text(container[key]), Text(runner[key]))
        );
        var (unpack, alike) = (pod["initContainers"]![0]!, runner["initContainers"]![0]!);
        Assert.All(["name", "image", "command", "resources", "volumeMounts"], key =>
            Assert.Equal(Text(unpack[key]), Text(alike[key]))
        );
    }

    [Fact]
    public void Job_has_a_deadline_after_the_longest_stage()
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
