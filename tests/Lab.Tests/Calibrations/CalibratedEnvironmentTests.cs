using DroneDelivery.Model;

namespace DroneDelivery.Lab.Tests.Calibrations;

public sealed class CalibratedEnvironmentTests(OwnFolder folder) : IClassFixture<OwnFolder>
{
    private static readonly DeclaredEnvironment Declared = DeclaredEnvironment.Load("azure-2020");

    [Fact]
    public async Task Telemetry_of_known_times_gives_them_back()
    {
        var latency = Declared.Latency.ToDictionary(
            it => it.Key,
            it => new LogNormal(it.Value.Mu + 0.5, it.Value.Sigma * 1.2)
        );
        var costs = Declared.Nodes!.CpuMilliseconds.ToDictionary(it => it.Key, it => 0.7 * it.Value);
        var telemetry = new WrittenTelemetry(1) { Costs = costs, SystemShare = 11 }.Write(40, latency);

        var calibrated = Calibrated(telemetry);

        Assert.Equal(11, calibrated.SystemShare!.Value, 0.1);
        Assert.Empty(calibrated.Warnings);
        var file = Path.Combine(folder.Path, "mine.json");
        await File.WriteAllTextAsync(file, calibrated.ToJson(), Cancel);
        var loaded = DeclaredEnvironment.Load(file);
        foreach (var (process, expected) in latency)
        {
            Assert.Equal(expected.Mu, loaded.Latency[process].Mu, 0.03);
            Assert.Equal(expected.Sigma, loaded.Latency[process].Sigma, 0.03);
        }

        foreach (var (service, expected) in costs)
            Assert.Equal(expected, loaded.Nodes!.CpuMilliseconds[service], 0.02 * expected);
        Assert.Equal(0.22, loaded.Nodes!.System.Servers, 0.005);
        const string Rate = "completed.plateau";
        Assert.NotEqual(
            (await LabInMemory.SimulateAsync("2"))(Rate),
            (await LabInMemory.SimulateAsync("2", "--environment", file))(Rate)
        );
        Assert.Equal(0, (await LabInMemory.TypeAsync("plan", "2", "--environment", file)).ExitCode);
    }

    [Fact]
    public void CPU_without_requests_belongs_to_the_system()
    {
        var telemetry = new WrittenTelemetry(2) { Idle = 12, SystemShare = 5 }.Write(40, Declared.Latency);

        var calibrated = Calibrated(telemetry);

        Assert.Equal(60, calibrated.Costs["workflow"].Milliseconds, 0.5);
        Assert.Equal(0.12, calibrated.Costs["workflow"].Idle, 0.01);
        // 5 % and five processes of 0.12 cores on four vCPUs.
        Assert.Equal(5 + 15, calibrated.SystemShare!.Value, 0.5);
    }

    [Fact]
    public void Latencies_alone_are_enough()
    {
        var telemetry = new WrittenTelemetry(3).Write(10, Declared.Latency);

        var calibrated = Calibrated([.. telemetry.Where(item => item.Kind == ItemKind.Dependency)]);

        Assert.Equal(Declared.Latency.Keys.Order(), calibrated.Latencies.Keys.Order());
        AssertHas(
            string.Join('\n', calibrated.Warnings),
            "No CPU telemetry of ingestion, workflow, package, dronescheduler, delivery",
            "The system's share of a node cannot be told"
        );
    }

    [Fact]
    public void Requests_beyond_the_CPU_of_the_nodes_are_warned_about()
    {
        var telemetry = new WrittenTelemetry(5) { VCpu = 4, SystemShare = 0 }.Write(30, Declared.Latency);

        var warnings = string.Join('\n', Calibrated(telemetry).Warnings);

        Assert.Contains(
            "The requests cost more CPU than nodes of 2 vCPUs were busy with",
            warnings,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public void Too_few_calls_are_rejected()
    {
        var telemetry = new WrittenTelemetry(4).Write(1, Declared.Latency);

        var refusal = Assert.Throws<BadInputException>(() => Calibrated(telemetry));

        Assert.Contains("no dependency has 30 calls", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_nodes_of_a_run_are_those_that_its_knobs_made()
    {
        var nodes = CalibratedRun
            .PlayedIn(PlayedByArithmetic.Run("run 2 --set nodes.vCpu=4 --set nodes.count=9").Stages[0])
            .Nodes!;

        Assert.Equal((9, 4), (nodes.Count, nodes.VCpu));
    }

    private static CalibratedEnvironment Calibrated(IReadOnlyList<TelemetryItem> telemetry) =>
        CalibratedEnvironment.Of(telemetry, Declared, "mine", "a test");
}
