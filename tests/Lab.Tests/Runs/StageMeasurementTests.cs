namespace DroneDelivery.Lab.Tests.Runs;

/// <summary>Measurements of a short run of stage 2 on this machine, which other processes disturb.</summary>
[Collection(RealProcesses.Name)]
[Trait("tier", "nightly")]
public sealed class StageMeasurementTests
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
    public async Task Short_run_measures_its_declared_environment()
    {
        await using var lab = new LabProcess();

        await lab.RunAsync([.. Short, "--port-offset", $"{lab.PortOffset}"]);

        var folder = Directory.GetDirectories(Path.Combine(lab.Artifacts, "runs")).Single();
        var run = RunRecord.Read(Path.Combine(folder, "run.json"));
        var stage = Assert.Single(run.Stages);
        Assert.SkipWhen(run.Outcome == Outcomes.Void, $"Inconclusive: {stage.Reason}");
        Assert.True(run.Outcome != Outcomes.Broken, $"{stage.Reason} {VerdictText.Of(stage)}");
        // 2, 4, 6, and 8 users with 2 requests per second, a step each 1.25 s, until 20 s: 290 requests.
        Assert.InRange(stage.Load!.Accepted, 240, 310);
        Assert.Equal(0, stage.Figures["http.5xx"].Value);
        await AssertGivesBackItsEnvironmentAsync(lab, stage.Environment);
        await AssertIsPlannedWithAsync(lab);
    }

    /// <summary>
    /// Calls take some milliseconds in addition to the emulated latency, and more if other processes use the machine.
    /// </summary>
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

        // In a run this short with a constant rate, CPU that is counted late may be taken for an idle share, so only
        // the sum is checked. CpuCostTests checks the fit to a few percent.
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

    /// <returns>The CPU time for each message of the load's 20 s, in milliseconds.</returns>
    private static double CostWithIdle(JsonElement cost) =>
        cost.GetProperty("milliseconds").GetDouble()
        + cost.GetProperty("idle").GetDouble() * 20_000 / cost.GetProperty("count").GetDouble();

    /// <summary>A handler of stage 2 waits 246 ms for each message.</summary>
    private static async Task AssertIsPlannedWithAsync(LabProcess lab)
    {
        var file = Path.Combine(lab.Artifacts, "mine.json");
        var (exitCode, output, error) = await lab.RunAsync("plan", "2", "--environment", file, "--json");

        Assert.True(exitCode == 0, error);
        Assert.InRange(RateOf(output), 9.5, 13.5);
        var (_, declared, _) = await LabInMemory.InvokeAsync("plan", "2", "--json");
        Assert.NotEqual(RateOf(declared), RateOf(output));

        static double RateOf(string plan) =>
            JsonDocument.Parse(plan).RootElement.GetProperty("2").GetProperty("binds").GetProperty("rate").GetDouble();
    }
}
