using System.CommandLine;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Bench.Simulation;

/// <summary>How much CPU time the model of the lab takes for each stage, and what it allocates.</summary>
internal static class MeasureSimulation
{
    private const int Repetitions = 5;

    public static Command Command()
    {
        var command = new Command(
            "simulation",
            "CPU time of each simulated stage, quick and full; events a second of one core; bytes allocated per event."
        );
        command.SetAction(_ => Run());
        return command;
    }

    private static int Run()
    {
        Measure(RunOptions.Quick, isShown: false); // warm up
        foreach (var k in new[] { RunOptions.Quick, 1 })
            Measure(k, isShown: true);
        return 0;
    }

    private static void Measure(double k, bool isShown)
    {
        var total = 0.0;
        foreach (var stage in Stage.All().Where(stage => !stage.IsVariant))
        {
            var plan = StagePlan.Of(stage, new(k, KnobSet.Empty, null, "", new(0), 1, false));
            var (simulating, figures, rate) = (new Sample(), new Sample(), new Sample());
            for (var i = 0; i < Repetitions; i++)
            {
                var before = Environment.CpuUsage.TotalTime;
                var trace = Simulator.Run(SimulatedSetting.Of(plan), seed: 1 + i);
                var between = Environment.CpuUsage.TotalTime;
                FigureTable.Of(SimulatedStage.Measure(plan, trace));
                simulating.Add((between - before).TotalMilliseconds);
                rate.Add(trace.Events / (between - before).TotalSeconds / 1e6);
                figures.Add((Environment.CpuUsage.TotalTime - between).TotalMilliseconds);
            }

            total += simulating.Median + figures.Median;
            if (!isShown)
                continue;
            Console.WriteLine(
                $"k = {k}, stage {stage.Id, -8} {simulating.Show("N1")} ms, {rate.Show("N1")} M events/s, "
                    + $"{BytesPerEvent(plan):N1} bytes per event; its figures {figures.Show("N1")} ms"
            );
        }

        if (isShown)
            Console.WriteLine($"k = {k}, all stages: {total:N0} ms");
    }

    /// <summary>Without the samples: what the simulation itself needs.</summary>
    private static double BytesPerEvent(StagePlan plan)
    {
        var setting = SimulatedSetting.Of(plan) with { SampleSeconds = plan.TotalSeconds };
        var before = GC.GetAllocatedBytesForCurrentThread();
        var trace = Simulator.Run(setting);
        return (GC.GetAllocatedBytesForCurrentThread() - before) / (double)trace.Events;
    }
}
