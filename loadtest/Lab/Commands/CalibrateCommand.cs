using System.CommandLine;
using DroneDelivery.Lab.Calibrations;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Commands;

/// <param name="Source">A run, or a file of telemetry.</param>
/// <param name="Stage">Of the run; null: the one whose nodes were least busy.</param>
/// <param name="Environment">What is not measured is taken from it; null: the run's own, or azure-2020.</param>
/// <param name="Out">Where the environment is kept; null: nowhere.</param>
internal sealed record CalibrateArguments(string Source, string? Stage, string? Environment, string? Out, bool Json);

/// <summary><c>lab calibrate</c>: makes an environment of telemetry.</summary>
internal sealed class CalibrateCommand : Verb<CalibrateArguments>
{
    private readonly Argument<string> _source = new("source")
    {
        HelpName = "RUN|FILE",
        Description = "A folder of artifacts/runs or a part of its name (last is the newest), or a .csv or .json file of telemetry.",
    };

    private readonly Option<string?> _stage = new("--stage")
    {
        HelpName = "ID",
        Description = "Stage of the run. [default: the one whose nodes were least busy]",
    };

    private readonly Option<string?> _environment = SharedOptions.Environment("what the run emulated, azure-2020 for a file");
    private readonly Option<string?> _out = new("--out") { HelpName = "FILE", Description = "Keep the environment as FILE (.json)." };
    private readonly Option<bool> _json = SharedOptions.Json("Print the environment, the fits and the warnings as JSON.");

    public CalibrateCommand()
        : base(
            "calibrate",
            "Fits latencies, CPU costs and the system's share to telemetry, and writes an environment that "
                + "simulate, plan, tune and run take. What is not measured stays as --environment has it.")
    {
        Takes(_source, _stage, _environment, _out, _json);
        HasHelp(
            output => output.WriteLine(TelemetryFile.Columns + "\n"),
            "calibrate last --out mine.json",
            "calibrate telemetry.csv --out mine.json --json",
            "simulate 2 --environment mine.json");
    }

    protected override CalibrateArguments Read(ParseResult parsed) => new(
        parsed.GetValue(_source)!, parsed.GetValue(_stage), parsed.GetValue(_environment), parsed.GetValue(_out), parsed.GetValue(_json));

    public override async Task<ExitCode> RunAsync(CalibrateArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        if (arguments.Out is { } wanted && !DeclaredEnvironment.IsFile(wanted))
            throw new BadInputException($"--out {wanted}: expected the name of a file that ends with .json.");
        var name = arguments.Out is { } file ? Path.GetFileNameWithoutExtension(file) : "calibrated";
        var calibrated = await OfAsync(arguments, name, context, cancellationToken);
        if (arguments.Out is { } path)
            Keep(path, calibrated.ToJson() + "\n");
        if (arguments.Json)
            context.Out.Text.WriteLine(calibrated.ToReport(arguments.Out));
        else
            CalibrationTable.Write(context.Out.Screen, calibrated, arguments.Out);
        return ExitCode.Held;
    }

    private static async Task<CalibratedEnvironment> OfAsync(
        CalibrateArguments arguments, string name, LabContext context, CancellationToken cancellationToken)
    {
        if (!IsFile(arguments.Source))
        {
            return await CalibratedRun.OfAsync(
                arguments.Source, arguments.Stage, arguments.Environment, name, context.Error.Text.WriteLine, cancellationToken);
        }

        return arguments.Stage is null
            ? CalibratedEnvironment.Of(
                TelemetryFile.Read(arguments.Source), DeclaredEnvironment.Load(arguments.Environment ?? "azure-2020"), name,
                Path.GetFileName(arguments.Source), knowsNodes: arguments.Environment is not null)
            : throw new BadInputException($"--stage is for runs of the lab: {arguments.Source} is a file.");
    }

    private static bool IsFile(string source) =>
        source.EndsWith(".csv", StringComparison.OrdinalIgnoreCase) || source.EndsWith(".json", StringComparison.OrdinalIgnoreCase);

    private static void Keep(string file, string json)
    {
        try
        {
            if (Path.GetDirectoryName(Path.GetFullPath(file)) is { } folder)
                Directory.CreateDirectory(folder);
            File.WriteAllText(file, json);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException($"{file} cannot be written: {exception.Message}");
        }
    }
}
