using System.CommandLine;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

internal sealed class CalibrateCommand : Verb
{
    private readonly Argument<string> _source = new("source")
    {
        HelpName = "RUN|FILE",
        Description = "A folder of artifacts/runs or a part of its name (last is the newest), or a .csv or .json file of telemetry.",
    };

    private readonly Option<string?> _stage = OptionOf.Text(
        "--stage", "ID", "Stage of the run. [default: the one whose nodes were least busy]");

    private readonly Option<string?> _environment = SharedOptions.Environment("what the run emulated, azure-2020 for a file");
    private readonly Option<string?> _system = OptionOf.Text(
        "--system", "FILE", "Fit your own system, whose services SOURCE is telemetry of, instead of an environment.");

    private readonly Option<string?> _out = OptionOf.Text("--out", "FILE", "Keep the result as FILE (.json).");
    private readonly Option<bool> _json = OptionOf.Json(
        "Print the environment, the fits and the warnings as JSON; with --system the system alone.");

    public CalibrateCommand()
        : base(
            "calibrate",
            "Fits latencies, CPU costs and the system's share to telemetry, and writes an environment that "
                + "simulate, plan, tune and run take. What is not measured stays as --environment has it.")
    {
        Takes(_source, _stage, _environment, _system, _out, _json);
        HasHelp(
            output => output.WriteLine(TelemetryFile.Columns + "\n"),
            "calibrate last --out mine.json",
            "calibrate telemetry.csv --out mine.json --json",
            "calibrate telemetry.csv --system mine.json --out fitted.json",
            "simulate 2 --environment mine.json");
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
        Out.Write(Get(_json) ? calibrated.ToReport(file) : null, screen => CalibrationTable.Write(screen, calibrated, file));
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
        Out.Write(Get(_json) ? calibrated.Json : null, screen => CalibrationTable.Write(screen, calibrated, file));
        return ExitCode.Held;
    }

    private async Task<CalibratedEnvironment> OfAsync(string name)
    {
        var (source, stage, environment) = (Get(_source), Get(_stage), Get(_environment));
        if (!IsFile(source))
            return await CalibratedRun.OfAsync(source, stage, environment, name, Error.WriteLine, Left);
        return stage is null
            ? CalibratedEnvironment.Of(
                TelemetryFile.Read(source), DeclaredEnvironment.Load(environment ?? "azure-2020"), name, Path.GetFileName(source),
                knowsNodes: environment is not null)
            : throw new BadInputException($"--stage is for runs of the lab: {source} is a file.");
    }

    private static bool IsFile(string source) =>
        source.EndsWith(".csv", StringComparison.OrdinalIgnoreCase) || source.EndsWith(".json", StringComparison.OrdinalIgnoreCase);
}
