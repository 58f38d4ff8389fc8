using System.CommandLine;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Stages;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

internal sealed class CalibrateCommand : Verb
{
    private readonly Argument<string> _run = new("run")
    {
        HelpName = "RUN",
        Description = "A folder in artifacts/runs, or part of its name; last is the newest run.",
    };

    private readonly Option<string?> _stage = OptionOf.Text(
        "--stage",
        "ID",
        "Stage of the run. [default: the stage with the least busy nodes]"
    );

    private readonly Option<string?> _environment = SharedOptions.Environment("the run's");
    private readonly Option<string?> _out = OptionOf.Text("--out", "FILE", "Save the environment as FILE (.json).");
    private readonly Option<bool> _json = OptionOf.Json("Print the environment, the fits and the warnings as JSON.");

    public CalibrateCommand()
        : base(
            "calibrate",
            "Fits latencies, CPU costs and the system's CPU share to the telemetry of a run, and writes an environment for "
                + "simulate, plan, tune and run. Values that weren't measured come from --environment."
        )
    {
        Takes(_run, _stage, _environment, _out, _json);
        HasExamples("calibrate last --out mine.json", "simulate 2 --environment mine.json");
    }

    protected override async Task<ExitCode> RunAsync()
    {
        var file = Get(_out);
        if (file is not null && !DeclaredEnvironment.IsFile(file))
            throw new BadInputException($"--out {file}: expected the name of a file that ends with .json.");
        var calibrated = await CalibratedRun.OfAsync(
            Get(_run),
            Get(_stage),
            Get(_environment),
            file is null ? "calibrated" : Path.GetFileNameWithoutExtension(file),
            Error.WriteLine,
            Stopping
        );
        if (file is not null)
            Disk.Write(file, calibrated.ToJson() + "\n");
        Out.Write(Get(_json) ? calibrated.ToReport(file) : null, screen => Write(screen, calibrated, file));
        return ExitCode.Held;
    }

    private static void Write(IAnsiConsole output, CalibratedEnvironment calibrated, string? file)
    {
        output.Write(Latencies(calibrated.Latencies));
        if (calibrated.Costs.Count > 0)
            output.Write(Costs(calibrated.Costs));
        if (calibrated.SystemShare is { } share)
            output.WriteLine($"The system uses {share:0.0} % of a node.");
        foreach (var warning in calibrated.Warnings)
            output.WriteLine($"Warning: {warning}");
        output.WriteLine(
            file is null
                ? "The environment was not saved. To save it, add --out mine.json."
                : $"Saved as {file}. To use it: ./lab simulate 2 --environment {file}"
        );
    }

    private static Table Latencies(IReadOnlyDictionary<string, FittedLatency> latencies) =>
        Table.Of(
            "",
            ["latency of", "calls#", "median#", "mean#", "mu#", "sigma#"],
            latencies.OrderBy(latency => latency.Key, StringComparer.Ordinal),
            latency =>
                [
                    latency.Key,
                    $"{latency.Value.Count:#,0}",
                    $"{Math.Exp(latency.Value.Distribution.Mu):0.0} ms",
                    $"{latency.Value.Distribution.Mean:0.0} ms",
                    $"{latency.Value.Distribution.Mu:0.000}",
                    $"{latency.Value.Distribution.Sigma:0.000}",
                ]
        );

    private static Table Costs(IReadOnlyDictionary<string, CpuCost> costs) =>
        Table.Of("", ["CPU of", "requests#", "each#"], costs, cost =>
            [cost.Key, $"{cost.Value.Count:#,0}", $"{cost.Value.Milliseconds:0.00} ms"]
        );
}
