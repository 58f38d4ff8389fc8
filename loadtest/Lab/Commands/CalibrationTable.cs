using System.Globalization;
using DroneDelivery.Lab.Calibrations;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary>What a calibration found.</summary>
internal static class CalibrationTable
{
    public static void Write(IAnsiConsole output, CalibratedEnvironment calibrated, string? file)
    {
        output.Write(Latencies(calibrated));
        if (calibrated.Costs.Count > 0)
            output.Write(Costs(calibrated));
        if (calibrated.SystemShare is { } share)
            output.WriteLine(Text($"The system takes {share:0.0} % of a node."));
        if (calibrated.Failed > 0)
            output.WriteLine(Text($"{calibrated.Failed} calls failed; they are left out."));
        foreach (var warning in calibrated.Warnings)
            output.WriteLine($"Warning: {warning}");
        output.WriteLine(file is null
            ? "Nothing is kept; --out mine.json keeps the environment."
            : $"Kept as {file}. Use it: ./lab simulate 2 --environment {file}");
    }

    private static Table Latencies(CalibratedEnvironment calibrated)
    {
        var table = new Table().Border(TableBorder.Rounded)
            .AddColumns("latency of", "calls", "median", "mean", "mu, 95 %", "sigma, 95 %", "KS distance", "shape");
        foreach (var (process, fit) in calibrated.Latencies.OrderBy(it => it.Key, StringComparer.Ordinal))
        {
            var log = fit.Distribution;
            table.AddRow(
                process,
                Text($"{fit.Count:#,0}"),
                Text($"{Math.Exp(log.Mu):0.0} ms"),
                Text($"{log.Mean:0.0} ms"),
                Text($"{log.Mu:0.000} ±{fit.MuError:0.000}"),
                Text($"{log.Sigma:0.000} ±{fit.SigmaError:0.000}"),
                Text($"{fit.Distance:0.000} (usual: up to {fit.Usual:0.000})"),
                Markup.Escape(fit.Verdict));
        }

        return table;
    }

    private static Table Costs(CalibratedEnvironment calibrated)
    {
        var table = new Table().Border(TableBorder.Rounded).AddColumns("CPU of", "requests", "each, 95 %", "idle, of one core");
        foreach (var (service, cost) in calibrated.Costs)
        {
            table.AddRow(
                service, Text($"{cost.Count:#,0}"), Text($"{cost.Milliseconds:0.00} ms ±{cost.Error:0.00}"), Text($"{cost.Idle:0.0 %}"));
        }

        return table;
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
