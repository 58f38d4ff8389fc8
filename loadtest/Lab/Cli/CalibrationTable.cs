using DroneDelivery.Lab.Measure;
using DroneDelivery.Model.Fit;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

internal static class CalibrationTable
{
    public static void Write(IAnsiConsole output, CalibratedEnvironment calibrated, string? file)
    {
        Write(output, calibrated.Latencies, calibrated.Costs);
        if (calibrated.SystemShare is { } share)
            output.WriteLine($"The system takes {share:0.0} % of a node.");
        if (calibrated.Failed > 0)
            output.WriteLine($"{calibrated.Failed} calls failed; they are left out.");
        foreach (var warning in calibrated.Warnings)
            output.WriteLine($"Warning: {warning}");
        WriteKept(output, file, "environment", "simulate 2 --environment");
    }

    public static void Write(IAnsiConsole output, CalibratedSystem calibrated, string? file)
    {
        Write(output, calibrated.Latencies, calibrated.Costs);
        if (calibrated.Kept.Count > 0)
            output.WriteLine($"Too few calls for {string.Join(", ", calibrated.Kept)}: as they were.");
        WriteKept(output, file, "system", "simulate --system");
    }

    private static void WriteKept(IAnsiConsole output, string? file, string what, string use) => output.WriteLine(
        file is null ? $"Nothing is kept; --out mine.json keeps the {what}." : $"Kept as {file}. Use it: ./lab {use} {file}");

    private static void Write(
        IAnsiConsole output, IReadOnlyDictionary<string, LogNormalFit> latencies, IReadOnlyDictionary<string, CpuCost> costs)
    {
        output.Write(Latencies(latencies));
        if (costs.Count > 0)
            output.Write(Costs(costs));
    }

    private static Table Latencies(IReadOnlyDictionary<string, LogNormalFit> latencies) => Table.Of(
        "",
        ["latency of", "calls#", "median#", "mean#", "mu, 95 %#", "sigma, 95 %#", "KS distance", "shape"],
        latencies.OrderBy(it => it.Key, StringComparer.Ordinal),
        it =>
        [
            it.Key,
            $"{it.Value.Count:#,0}",
            $"{Math.Exp(it.Value.Distribution.Mu):0.0} ms",
            $"{it.Value.Distribution.Mean:0.0} ms",
            $"{it.Value.Distribution.Mu:0.000} ±{it.Value.MuError:0.000}",
            $"{it.Value.Distribution.Sigma:0.000} ±{it.Value.SigmaError:0.000}",
            $"{it.Value.Distance:0.000} (usual: up to {it.Value.Usual:0.000})",
            it.Value.Verdict,
        ]);

    private static Table Costs(IReadOnlyDictionary<string, CpuCost> costs) => Table.Of(
        "",
        ["CPU of", "requests#", "each, 95 %#", "idle, of one core#"],
        costs,
        it =>
        [
            it.Key,
            $"{it.Value.Count:#,0}",
            $"{it.Value.Milliseconds:0.00} ms ±{it.Value.Error:0.00}",
            $"{it.Value.Idle:0.0 %}",
        ]);
}
