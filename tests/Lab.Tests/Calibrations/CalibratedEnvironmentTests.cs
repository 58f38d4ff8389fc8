using DroneDelivery.Model;

namespace DroneDelivery.Lab.Tests.Calibrations;

public sealed class CalibratedEnvironmentTests(OwnFolder folder) : IClassFixture<OwnFolder>
{
    private static readonly DeclaredEnvironment Declared = DeclaredEnvironment.Load("azure-2020");

    [Fact]
    public async Task Calibration_recovers_known_latencies_and_costs()
    {
        var latency = Declared.Latency.ToDictionary(
            it => it.Key,
            it => new LogNormal(it.Value.Mu + 0.5, it.Value.Sigma * 1.2)
        );
        var costs = Declared.Nodes!.CpuMilliseconds.ToDictionary(it => it.Key, it => 0.7 * it.Value);

        var calibrated = Calibrated(new(1) { Costs = costs, SystemShare = 11 }, seconds: 3000, latency);

        Assert.Equal(11, calibrated.SystemShare!.Value, 0.1);
        Assert.Empty(calibrated.Warnings);
        var file = Path.Combine(folder.Path, "mine.json");
        await File.WriteAllTextAsync(file, calibrated.ToJson(), Cancel);
        var loaded = DeclaredEnvironment.Load(file);
        foreach (var (process, expected) in latency)
        {
            Assert.Equal(expected.Mu, loaded.Latency[process].Mu, 0.06);
            Assert.Equal(expected.Sigma, loaded.Latency[process].Sigma, 0.06);
        }

        foreach (var (service, expected) in costs)
            Assert.Equal(expected, loaded.Nodes!.CpuMilliseconds[service], 0.02 * expected);
        Assert.Equal(0.22, loaded.Nodes!.System.Servers, 0.005);
        const string Rate = "completed.plateau";
        Assert.NotEqual(
            (await LabInMemory.SimulateAsync("2"))(Rate),
            (await LabInMemory.SimulateAsync("2", "--environment", file))(Rate)
        );
        Assert.Equal(0, (await LabInMemory.InvokeAsync("plan", "2", "--environment", file)).ExitCode);
    }

    [Fact]
    public void Latencies_suffice_for_a_calibration()
    {
        var nothing = Declared.Nodes!.CpuMilliseconds.ToDictionary(it => it.Key, _ => 0.0);

        var calibrated = Calibrated(new(3) { Costs = nothing }, seconds: 600, Declared.Latency);

        Assert.Equal(Declared.Latency.Keys.Order(), calibrated.Latencies.Keys.Order());
        Assert.Contains(
            "Too little CPU telemetry of ingestion, workflow, package, dronescheduler, delivery",
            string.Join('\n', calibrated.Warnings),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public void Costs_above_the_CPU_of_the_nodes_cause_a_warning()
    {
        var warnings = Calibrated(new(5) { VCpu = 4, SystemShare = 0 }, seconds: 600, Declared.Latency).Warnings;

        Assert.Contains(
            "The requests used more CPU than nodes of 2 vCPUs have",
            string.Join('\n', warnings),
            StringComparison.Ordinal
        );
    }

    [Theory]
    [InlineData(-0.5, 0.0)]
    [InlineData(-1.5, null)]
    public void Costs_above_the_CPU_cause_a_warning_only_beyond_their_error(double share, double? used)
    {
        var calibrated = Calibrated(new(6) { SystemShare = share }, seconds: 600, Declared.Latency);

        Assert.Equal(used, calibrated.SystemShare);
        Assert.Equal(used is null ? 1 : 0, calibrated.Warnings.Count);
        Assert.Equal(
            used ?? Declared.Nodes!.System.JobMilliseconds,
            calibrated.Environment.Nodes!.System.JobMilliseconds
        );
    }

    [Fact]
    public void Too_few_calls_are_rejected()
    {
        var refusal = Assert.Throws<BadInputException>(() => Calibrated(new(4), seconds: 20, Declared.Latency));

        Assert.Contains("no dependency has 30 successful calls", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Heavy_tail_is_detected()
    {
        var latency = new LogNormal(Math.Log(30), 0.5);
        var random = new Random(1);

        Assert.False(FittedLatency.Of(Enumerable.Range(0, 1000).Select(_ => latency.Next(random))).HasHeavyTail);
        Assert.True(FittedLatency.Of(Enumerable.Range(0, 1000).Select(i => i % 50 == 0 ? 500.0 : 10)).HasHeavyTail);
    }

    [Fact]
    public void Nodes_of_a_run_follow_its_settings()
    {
        var nodes = CalibratedRun
            .EnvironmentOf(ComputedRun.Run("run 2 --set nodes.vCpu=4 --set nodes.count=9").Stages[0])
            .Nodes!;

        Assert.Equal((9, 4), (nodes.Count, nodes.VCpu));
    }

    private static CalibratedEnvironment Calibrated(
        WrittenTelemetry written,
        int seconds,
        IReadOnlyDictionary<string, LogNormal> latency
    )
    {
        var (telemetry, stage) = written.Write(seconds, latency);
        return CalibratedEnvironment.Of(telemetry, stage, Declared, "mine", "a test", Cancel);
    }
}
