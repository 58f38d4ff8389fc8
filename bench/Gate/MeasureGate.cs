using System.CommandLine;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Bench.Gate;

/// <summary>
/// What the CPU gates of the virtual nodes cost, and how well they keep time: the lab's own calibration, repeated. Both ends of every hold,
/// and the callers, are in this process. First at the rate of stage 5, then with every cost a tenth, which gives ten times the holds.
/// </summary>
internal static class MeasureGate
{
    public static Command Command()
    {
        var environment = new Option<string>("--environment")
        {
            Description = "whose nodes",
            DefaultValueFactory = _ => "azure-2020",
        };
        var repetitions = new Option<int>("--repetitions") { DefaultValueFactory = _ => 5 };
        var command = new Command(
            "gate",
            "CPU time of a hold at a virtual node's gate, lateness of its answer, capacity against the declared one."
        )
        {
            environment,
            repetitions,
        };
        command.SetAction(
            (parsed, ct) =>
                Run(DeclaredEnvironment.Load(parsed.GetValue(environment)!), parsed.GetValue(repetitions), ct)
        );
        return command;
    }

    private static async Task<int> Run(
        DeclaredEnvironment environment,
        int repetitions,
        CancellationToken cancellationToken
    )
    {
        if (environment.Nodes is not { } nodes)
        {
            await Console.Error.WriteLineAsync($"The environment {environment.Name} declares no nodes.");
            return 2;
        }

        await Calibration.RunAsync(nodes, TimeProvider.System, cancellationToken); // warm up
        await Measure("as declared", nodes, repetitions, cancellationToken);
        await Measure("costs / 10", nodes.Costing(0.1), repetitions, cancellationToken);
        return 0;
    }

    private static async Task Measure(
        string name,
        DeclaredNodes nodes,
        int repetitions,
        CancellationToken cancellationToken
    )
    {
        var (cpu, capacity, p50, p95, p99, max) = (
            new Sample(),
            new Sample(),
            new Sample(),
            new Sample(),
            new Sample(),
            new Sample()
        );
        for (var repetition = 0; repetition < repetitions; repetition++)
        {
            var calibration = await Calibration.RunAsync(nodes, TimeProvider.System, cancellationToken);
            cpu.Add(calibration.CpuMicrosecondsPerHold);
            capacity.Add(calibration.Measured / calibration.Expected);
            p50.Add(calibration.Lateness.P50);
            p95.Add(calibration.Lateness.P95);
            p99.Add(calibration.Lateness.P99);
            max.Add(calibration.Lateness.Max);
        }

        Console.WriteLine(
            $"{name}: {cpu.Show("N1")} µs of CPU per hold; capacity {capacity.Show("P1")} of the declared; "
                + $"lateness in ms p50 {p50.Show("N1")}, p95 {p95.Show("N1")}, p99 {p99.Show("N1")}, max {max.Show("N1")}"
        );
    }
}
