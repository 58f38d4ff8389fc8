using System.CommandLine;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Bench.Gate;

/// <summary>
/// Measures cost and accuracy of the virtual nodes' CPU gates by repeating the lab's calibration, with all clients in this process: at the
/// rate of stage 5, and at ten times as many holds of a tenth of the cost.
/// </summary>
internal static class MeasureGate
{
    public static Command Command()
    {
        var repetitions = new Option<int>("--repetitions") { DefaultValueFactory = _ => 5 };
        var command = new Command(
            "gate",
            "CPU time of a hold at a virtual node's gate, lateness of its response, and capacity compared with the declared one."
        )
        {
            repetitions,
        };
        command.SetAction(
            async (parsed, stopping) =>
            {
                var nodes = DeclaredEnvironment.Load("azure-2020").Nodes!;
                await Calibration.RunAsync(nodes, TimeProvider.System, stopping); // warm up
                await MeasureAsync("as declared", nodes, parsed.GetValue(repetitions), stopping);
                await MeasureAsync("costs / 10", nodes.Costing(0.1), parsed.GetValue(repetitions), stopping);
            }
        );
        return command;
    }

    private static async Task MeasureAsync(
        string name,
        DeclaredNodes nodes,
        int repetitions,
        CancellationToken stopping
    )
    {
        var (cpu, capacity, median, p99) = (new Sample(), new Sample(), new Sample(), new Sample());
        for (var repetition = 0; repetition < repetitions; repetition++)
        {
            var calibration = await Calibration.RunAsync(nodes, TimeProvider.System, stopping);
            cpu.Add(calibration.CpuMicrosecondsPerHold);
            capacity.Add(calibration.Measured / calibration.Expected);
            median.Add(calibration.Lateness.P50);
            p99.Add(calibration.Lateness.P99);
        }

        Console.WriteLine(
            $"{name}: {cpu.Show("N1")} µs of CPU per hold; capacity {capacity.Show("P1")} of the declared; "
                + $"lateness in ms p50 {median.Show("N1")}, p99 {p99.Show("N1")}"
        );
    }
}
