namespace DroneDelivery.Lab.Tests.Runs;

/// <summary>
/// Stage 2 with the real processes and a load of a few seconds: properties that do not depend on other load on the
/// machine.
/// </summary>
/// <remarks><see cref="StageMeasurementTests"/> checks the measurements of such a run.</remarks>
[Trait("tier", "slow")]
public sealed class StageSessionTests
{
    private static readonly string[] Short =
    [
        "run",
        "2",
        "--k",
        "16",
        "--set",
        "load.maxUsers=8",
        "--set",
        "load.duration=96",
        "--set",
        "queue.lockDuration=300", // No lock expires, so each message is handled once.
    ];

    [Fact]
    public async Task Run_accounts_for_every_message()
    {
        await using var lab = new LabProcess();

        var (exitCode, output, error) = await RunAsync(
            lab,
            "ingestion=2,workflow=2,package=1,dronescheduler=1,delivery=1"
        );

        var folder = Directory.GetDirectories(Path.Combine(lab.Artifacts, "runs")).Single();
        var run = RunRecord.Read(Path.Combine(folder, "run.json"));
        Assert.True(run.Stages.Count == 1, error);
        var stage = run.Stages[0];
        Assert.True(run.Outcome != Outcomes.Broken, $"{stage.Reason} {VerdictText.Of(stage)}");
        Assert.Equal(0, stage.Figures["unaccounted"].Value);
        Assert.Equal(0, stage.Figures["http.5xx"].Value);
        Assert.InRange(stage.Load!.Accepted, 1, long.MaxValue);
        Assert.Equal(stage.Load.Accepted, stage.Final!.Incoming);
        Assert.Equal((int)Outcomes.ExitCodeOf(run.Outcome), exitCode);
        Assert.True(stage.Figures["cpu.application"].Value > 0, "The application used no CPU.");
        Assert.True(stage.Figures["cpu.lab"].Value > 0, "The lab used no CPU.");
        Assert.Equal("8", run.Changed["load.maxUsers"]);
        Assert.Equal("18.75s", stage.Knobs["queue.lockDuration"]);
        Assert.Contains("You changed settings, so published ranges don't apply.", output, StringComparison.Ordinal);
        Assert.Contains("users", error, StringComparison.Ordinal);
        var report = await File.ReadAllTextAsync(Path.Combine(folder, "report.html"), Cancel);
        Assert.InRange(report.Split("<svg ").Length - 1, 5, 50);
        AssertHas(report, [.. stage.Checks.Select(check => $"<td class=\"muted\">{check.Id}</td>")]);
        Assert.False(Directory.Exists(Path.Combine(folder, "data")));
        await AssertTelemetryCountsAlikeAsync(folder, stage);
    }

    [Fact]
    public async Task Killed_replica_ends_the_run_as_a_crash()
    {
        await using var lab = new LabProcess();
        var running = RunAsync(lab, "ingestion=1,workflow=1,package=1,dronescheduler=1,delivery=1");
        var state = Path.Combine(lab.Artifacts, "lab", "state.json");
        // As long as the lab itself waits for its processes and its own start.
        await UntilAsync(
            () => Task.FromResult(File.Exists(state) || running.IsCompleted),
            isStarted => isStarted,
            longer: TimeSpan.FromMinutes(3)
        );
        var replicas = lab.State.Replicas;
        Kill(replicas.First(replica => replica.Service == "workflow").ProcessId);

        var (exitCode, _, error) = await running;

        var run = RunRecord.Read(
            Path.Combine(Directory.GetDirectories(Path.Combine(lab.Artifacts, "runs")).Single(), "run.json")
        );
        Assert.Equal(1, exitCode);
        Assert.Contains("workflow-0 exited unexpectedly with exit code 137", error, StringComparison.Ordinal);
        Assert.Equal(Outcomes.Incomplete, run.Outcome);
        Assert.StartsWith("workflow-0 exited unexpectedly", run.Reason, StringComparison.Ordinal);
        Assert.DoesNotContain(replicas, replica => IsRunning(replica.ProcessId));
    }

    private static Task<(int ExitCode, string Output, string Error)> RunAsync(LabProcess lab, string replicas) =>
        lab.RunAsync([.. Short, "--replicas", replicas, "--port-offset", $"{lab.PortOffset}"]);

    /// <summary>
    /// Telemetry must match the counts of the load generator and the broker, without requests of the lab itself.
    /// </summary>
    private static async Task AssertTelemetryCountsAlikeAsync(string folder, StageRecord stage)
    {
        var telemetry = await RunTelemetry.LoadAsync(folder, _ => { }, Cancel);
        var times = Assert.Single(telemetry.Stages());
        var components = telemetry.Ask("application-map-nodes", times);

        Assert.Equal(
            stage.Final!.Completed,
            telemetry.Ask("throughput", times).Column("succeeded").Sum(count => (long)count!)
        );
        Assert.Equal(
            ["delivery", "dronescheduler", "localhost/delivery-requests", "package"],
            telemetry.Ask("latency-by-target", times).Column("target")
        );
        var calls = components.Column("cloud_RoleName").Cast<string>().Zip(components.Column("calls").Cast<long>());
        Assert.Equal(("ingestion", (long)stage.Load!.Accepted), calls.Single(it => it.First == "ingestion"));
    }
}
