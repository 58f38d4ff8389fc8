using System.CommandLine;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Fit;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

internal sealed class CalibrateCommand : Verb
{
    private readonly Argument<string> _source = new("source")
    {
        HelpName = "RUN|FILE",
        Description =
            "A folder of artifacts/runs or a part of its name (last is the newest), or a .csv or .json file of telemetry.",
    };

    private readonly Option<string?> _stage = OptionOf.Text(
        "--stage",
        "ID",
        "Stage of the run. [default: the one whose nodes were least busy]"
    );

    private readonly Option<string?> _environment = SharedOptions.Environment(
        "what the run emulated, azure-2020 for a file"
    );
    private readonly Option<string?> _system = OptionOf.Text(
        "--system",
        "FILE",
        "Fit your own system, whose services SOURCE is telemetry of, instead of an environment."
    );

    private readonly Option<string?> _out = OptionOf.Text("--out", "FILE", "Keep the result as FILE (.json).");
    private readonly Option<bool> _json = OptionOf.Json(
        "Print the environment, the fits and the warnings as JSON; with --system the system alone."
    );

    public CalibrateCommand()
        : base(
            "calibrate",
            "Fits latencies, CPU costs and the system's share to telemetry, and writes an environment that "
                + "simulate, plan, tune and run take. What is not measured stays as --environment has it."
        )
    {
        Takes(_source, _stage, _environment, _system, _out, _json);
        HasHelp(
            output => output.WriteLine(TelemetryFile.Columns + "\n"),
            "calibrate last --out mine.json",
            "calibrate telemetry.csv --out mine.json --json",
            "calibrate telemetry.csv --system mine.json --out fitted.json",
            "simulate 2 --environment mine.json"
        );
    }

    protected override async Task<ExitCode> RunAsync()
    {
        var file = Get(_out);
        if (file is not null && !DeclaredEnvironment.IsFile(file))
            throw new BadInputException($"--out {file}: expected the name of a file that ends with .json.");
        if (Get(_system) is { } system)
            return Fit(system, file);
        var name = file is null ? "calibrated" : Path.GetFileNameWithoutExtension(file);
        var calibrated = await OfAsync(name);
        if (file is not null)
            Disk.Write(file, calibrated.ToJson() + "\n");
        Out.Write(Get(_json) ? calibrated.ToReport(file) : null, screen => Write(screen, calibrated, file));
        return ExitCode.Held;
    }

    private ExitCode Fit(string system, string? file)
    {
        var source = Get(_source);
        if (!IsFile(source) || Get(_stage) is not null || Get(_environment) is not null)
            throw new BadInputException("--system is for a file of telemetry, without --stage and --environment.");
        var calibrated = CalibratedSystem.Of(TelemetryFile.Read(source), system);
        if (file is not null)
            Disk.Write(file, calibrated.Json + "\n");
        Out.Write(Get(_json) ? calibrated.Json : null, screen => Write(screen, calibrated, file));
        return ExitCode.Held;
    }

    private async Task<CalibratedEnvironment> OfAsync(string name)
    {
        var (source, stage, environment) = (Get(_source), Get(_stage), Get(_environment));
        if (!IsFile(source))
            return await CalibratedRun.OfAsync(source, stage, environment, name, Error.WriteLine, Left);
        return stage is null
            ? CalibratedEnvironment.Of(
                TelemetryFile.Read(source),
                DeclaredEnvironment.Load(environment ?? "azure-2020"),
                name,
                Path.GetFileName(source),
                knowsNodes: environment is not null
            )
            : throw new BadInputException($"--stage is for runs of the lab: {source} is a file.");
    }

    private static bool IsFile(string source) =>
        source.EndsWith(".csv", StringComparison.OrdinalIgnoreCase)
        || source.EndsWith(".json", StringComparison.OrdinalIgnoreCase);

    private static void Write(IAnsiConsole output, CalibratedEnvironment calibrated, string? file)
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

    private static void Write(IAnsiConsole output, CalibratedSystem calibrated, string? file)
    {
        Write(output, calibrated.Latencies, calibrated.Costs);
        if (calibrated.Kept.Count > 0)
            output.WriteLine($"Too few calls for {string.Join(", ", calibrated.Kept)}: as they were.");
        WriteKept(output, file, "system", "simulate --system");
    }

    private static void WriteKept(IAnsiConsole output, string? file, string what, string use) =>
        output.WriteLine(
            file is null
                ? $"Nothing is kept; --out mine.json keeps the {what}."
                : $"Kept as {file}. Use it: ./lab {use} {file}"
        );

    private static void Write(
        IAnsiConsole output,
        IReadOnlyDictionary<string, LogNormalFit> latencies,
        IReadOnlyDictionary<string, CpuCost> costs
    )
    {
        output.Write(Latencies(latencies));
        if (costs.Count > 0)
            output.Write(Costs(costs));
    }

    private static Table Latencies(IReadOnlyDictionary<string, LogNormalFit> latencies) =>
        Table.Of(
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
                ]
        );

    private static Table Costs(IReadOnlyDictionary<string, CpuCost> costs) =>
        Table.Of("", ["CPU of", "requests#", "each, 95 %#", "idle, of one core#"], costs, it =>
            [
                it.Key,
                $"{it.Value.Count:#,0}",
                $"{it.Value.Milliseconds:0.00} ms ±{it.Value.Error:0.00}",
                $"{it.Value.Idle:0.0 %}",
            ]
        );
}
