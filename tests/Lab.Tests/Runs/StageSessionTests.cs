namespace DroneDelivery.Lab.Tests.Runs;

/// <summary>Stage 2 with the real processes and a load of seconds: too short for its verdict, long enough for everything else.</summary>
[Collection(RealProcesses.Name)]
[Trait("tier", "slow")]
[Trait("run", "alone")]
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
        "load.duration=320",
        "--replicas",
        "ingestion=2,workflow=2,package=1,dronescheduler=1,delivery=1",
    ];

    [Fact]
    public async Task A_run_leaves_figures_series_and_a_report_and_accounts_for_every_message()
    {
        await using var lab = new LabProcess();

        var (folder, run, (exitCode, output, error)) = await PlayAsync(lab);

        var stage = Assert.Single(run.Stages);
        Assert.Equal(0, stage.Figures["unaccounted"].Value);
        Assert.Equal(0, stage.Figures["http.5xx"].Value);
        // 2, 4, 6, 8 users of 2 requests a second, a step each 1.25 s, until 20 s: 290 requests.
        Assert.InRange(stage.Load!.Accepted, 240, 310);
        Assert.Equal(stage.Load.Accepted, stage.Final!.Incoming);
        Assert.Equal((int)Outcomes.ExitCodeOf([run]), exitCode);
        Assert.True(run.Outcome is not (Outcomes.Broken or Outcomes.Void), $"{stage.Reason} {VerdictText.Of(stage)}");
        Assert.True(
            stage.Figures["cpu.application"].Value > 0 && stage.Figures["cpu.lab"].Value > 0,
            "nobody used the machine"
        );
        Assert.Equal("8", run.Changed["load.maxUsers"]);
        Assert.Equal("3.75s", stage.Knobs["queue.lockDuration"]);
        Assert.Contains("You changed settings, so published ranges don't apply.", output, StringComparison.Ordinal);
        Assert.Contains("users", error, StringComparison.Ordinal);
        Assert.Equal(stage.Series.Count + 1, File.ReadAllLines(Path.Combine(folder, "series-2.csv")).Length);
        var report = await File.ReadAllTextAsync(Path.Combine(folder, "report.html"), Cancel);
        Assert.InRange(report.Split("<svg ").Length - 1, 5, 50);
        AssertHas(report, [.. stage.Checks.Select(check => $"<td class=\"muted\">{check.Id}</td>")]);
        Assert.False(Directory.Exists(Path.Combine(folder, "data")));
        await AssertTelemetryCountsAlikeAsync(folder, stage);
        await AssertGivesBackItsEnvironmentAsync(lab, stage.Environment);
        await AssertIsPlannedWithAsync(lab);
    }

    /// <summary>A void run proves nothing. Something else may have kept the machine busy, so it is played three times at most.</summary>
    private static async Task<(string, RunRecord, (int ExitCode, string Output, string Error))> PlayAsync(
        LabProcess lab
    )
    {
        for (var left = 2; ; left--)
        {
            var said = await lab.RunAsync([.. Short, "--port-offset", $"{lab.PortOffset}"]);
            var folder = Directory.GetDirectories(Path.Combine(lab.Artifacts, "runs")).Max(StringComparer.Ordinal)!;
            var run = RunRecord.Read(Path.Combine(folder, "run.json"));
            if (run.Outcome != Outcomes.Void || left == 0)
                return (folder, run, said);
        }
    }

    [Fact]
    public async Task A_replica_that_dies_ends_the_run_as_a_crash_and_not_as_a_slow_stage()
    {
        await using var lab = new LabProcess();
        var running = lab.RunAsync([.. Short, "--port-offset", $"{lab.PortOffset}"]);
        await UntilAsync(() => File.Exists(Path.Combine(lab.Artifacts, "lab", "state.json")));
        var replicas = lab.State.Replicas;
        Kill(replicas.First(replica => replica.Service == "workflow").ProcessId);

        var (exitCode, _, error) = await running;

        var run = RunRecord.Read(
            Path.Combine(Directory.GetDirectories(Path.Combine(lab.Artifacts, "runs")).Single(), "run.json")
        );
        Assert.Equal(1, exitCode);
        Assert.Contains("workflow-0 ended by itself with exit code 137", error, StringComparison.Ordinal);
        Assert.Equal(Outcomes.Incomplete, run.Outcome);
        Assert.StartsWith("workflow-0 ended by itself", run.Reason, StringComparison.Ordinal);
        Assert.DoesNotContain(replicas, replica => IsRunning(replica.ProcessId));
    }

    /// <summary>Telemetry counts what driver and broker count: no request of the lab itself, no completion more or less.</summary>
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

    /// <summary>Calls take some milliseconds beside what is emulated, and more where other processes keep the machine busy.</summary>
    private static async Task AssertGivesBackItsEnvironmentAsync(LabProcess lab, DeclaredEnvironment declared)
    {
        var file = Path.Combine(lab.Artifacts, "mine.json");
        var (exitCode, output, error) = await lab.RunAsync("calibrate", "last", "--out", file, "--json");

        Assert.True(exitCode == 0, error);
        TestContext.Current.TestOutputHelper?.WriteLine(output);
        var measured = DeclaredEnvironment.Load(file);
        Assert.Equal(4, measured.Latency.Count);
        foreach (var (process, latency) in declared.Latency)
        {
            var median = Math.Exp(latency.Mu);
            Assert.InRange(Math.Exp(measured.Latency[process].Mu), 0.8 * median, 1.2 * median + 8);
        }

        // In so short a run with its even rate, CPU that is counted late may pass for an idle share: it is the sum that must be right.
        // CpuCostTests holds the fit to a few percent.
        var costs = JsonDocument.Parse(output).RootElement.GetProperty("costs");
        foreach (var (service, cost) in declared.Nodes!.CpuMilliseconds)
            Assert.InRange(CostWithIdle(costs.GetProperty(service)), 0.8 * cost, 1.2 * cost);
        Assert.Equal(5, costs.EnumerateObject().Count());
        Assert.InRange(
            measured.Nodes!.System.Servers,
            0.9 * declared.Nodes.System.Servers,
            1.1 * declared.Nodes.System.Servers
        );
    }

    /// <returns>Milliseconds of CPU for each message of the load's 20 s.</returns>
    private static double CostWithIdle(JsonElement cost) =>
        cost.GetProperty("milliseconds").GetDouble()
        + cost.GetProperty("idle").GetDouble() * 20_000 / cost.GetProperty("count").GetDouble();

    /// <summary>A handler of stage 2 is busy with latencies for 246 ms of each message.</summary>
    private static async Task AssertIsPlannedWithAsync(LabProcess lab)
    {
        var (exitCode, output, error) = await lab.RunAsync("plan", "2", "--from", "last", "--json");

        Assert.True(exitCode == 0, error);
        Assert.InRange(RateOf(output), 9.5, 13.5);
        var (_, declared, _) = await LabInMemory.TypeAsync("plan", "2", "--json");
        Assert.NotEqual(RateOf(declared), RateOf(output));

        static double RateOf(string plan) =>
            JsonDocument.Parse(plan).RootElement.GetProperty("2").GetProperty("binds").GetProperty("rate").GetDouble();
    }
}
