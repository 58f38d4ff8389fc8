using System.Diagnostics;
using System.Text.Json;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Bench.Simulation;

/// <summary>Events a second of one core, beside a public simulator: SimJS in Node, which simulates a station of three servers. Its events
/// are arrivals and ends of services; those of the lab's model are requests, messages, locks, calls and holds of CPUs.</summary>
internal static class SimJs
{
    private const int Repetitions = 5,
        Customers = 500_000;

    private static readonly string Folder = ChildProcess.InRepository("bench", "Simulation", "simjs");

    public static async Task CompareAsync(CancellationToken cancellationToken)
    {
        if (!await IsInstalledAsync(cancellationToken))
        {
            Console.WriteLine("SimJS is left out: node and npm are missing, or npm cannot install it.");
            return;
        }

        var (own, other, wait) = (new Sample(), new Sample(), new Sample());
        var stage = StagePlan.Of(Stage.Load("2"), new(1, KnobSet.Empty, null, "", new(0), 1, false));
        for (var i = 0; i <= Repetitions; i++)
        {
            var (theirs, meanWait) = await PlayAsync(cancellationToken);
            var before = Environment.CpuUsage.TotalTime;
            var events = Simulator.Run(SimulatedSetting.Of(stage), seed: 1 + i).Events;
            if (i == 0)
                continue; // warms up
            own.Add(events / (Environment.CpuUsage.TotalTime - before).TotalSeconds / 1e6);
            other.Add(theirs);
            wait.Add(meanWait);
        }

        // Erlang's formula says 1.079 s.
        Console.WriteLine(
            $"stage 2 at full length: {own.Show("N1")} M events/s; SimJS, a station of three servers: {other.Show("N2")} M events/s "
                + $"(mean wait {wait.Median:N2} s); {own.Median / other.Median:N1} times as many"
        );
    }

    private static async Task<bool> IsInstalledAsync(CancellationToken cancellationToken)
    {
        try
        {
            return (await RunAsync("npm", ["ci", "--silent"], cancellationToken)).ExitCode == 0;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return false; // no npm
        }
    }

    /// <returns>Millions of events a second of CPU time, and the mean wait of a customer in seconds.</returns>
    private static async Task<(double Rate, double MeanWait)> PlayAsync(CancellationToken cancellationToken)
    {
        var (exitCode, output) = await RunAsync("node", ["station.js", $"{Customers}"], cancellationToken);
        if (exitCode != 0)
            throw new InvalidOperationException($"node station.js ended with {exitCode}.");
        using var said = JsonDocument.Parse(output);
        double Of(string name) => said.RootElement.GetProperty(name).GetDouble();
        return (Of("events") / Of("cpuSeconds") / 1e6, Of("meanWait"));
    }

    private static async Task<(int ExitCode, string Output)> RunAsync(
        string file,
        string[] arguments,
        CancellationToken cancellationToken
    )
    {
        using var process = Process.Start(
            new ProcessStartInfo(file, arguments) { WorkingDirectory = Folder, RedirectStandardOutput = true }
        )!;
        var output = await process.StandardOutput.ReadToEndAsync(cancellationToken);
        await process.WaitForExitAsync(cancellationToken);
        return (process.ExitCode, output);
    }
}
