using System.Text.Json;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Tests.Calibrations;

/// <summary>A run of the lab gives back what the lab was told to emulate.</summary>
[Collection(RealProcesses.Name)]
public sealed class CalibratedRunTests
{
    // Calls take a few milliseconds of real time beside what is emulated, and more where other processes keep the machine busy.
    private const double OfLatency = 0.10, OfCost = 0.05;

    [Fact]
    public async Task A_run_of_the_lab_gives_back_the_declared_environment()
    {
        await using var lab = new LabProcess();
        await lab.RunAsync(
            "run", "2", "--k", "16", "--set", "load.maxUsers=8", "--set", "workflow.maxConcurrentCalls=4", "--driver", "own",
            "--port-offset", $"{lab.PortOffset}");

        var file = Path.Combine(lab.Artifacts, "mine.json");
        var (code, output, error) = await lab.RunAsync("calibrate", "last", "--out", file, "--json");

        Assert.True(code == 0, error);
        TestContext.Current.TestOutputHelper?.WriteLine(output);
        var (declared, measured) = (DeclaredEnvironment.Load("azure-2020"), DeclaredEnvironment.Load(file));
        foreach (var (process, latency) in declared.Latency)
            AssertNear(process, latency.Mean, measured.Latency[process].Mean, OfLatency);
        foreach (var (service, cost) in declared.Nodes!.CpuMilliseconds)
            AssertNear(service, cost, measured.Nodes!.CpuMilliseconds[service], OfCost);
        Assert.Equal(5, JsonDocument.Parse(output).RootElement.GetProperty("costs").EnumerateObject().Count());
        AssertNear("system", declared.Nodes.System.Servers, measured.Nodes!.System.Servers, 0.1);
    }

    private static void AssertNear(string what, double declared, double measured, double share) =>
        Assert.True(Math.Abs(measured / declared - 1) <= share, $"{what}: declared {declared:0.###}, measured {measured:0.###}");
}
