using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <summary><c>lab simulate</c>: asks the model what a run would measure.</summary>
internal sealed class SimulateCommand : Verb
{
    private readonly RunSelection _of = new();
    private readonly SystemOption _system = new("--repeat", "--seed", "--json");
    private readonly Option<int> _repeat = OptionOf.WholeNumber(
        "--repeat", 1, 1, 1000, "Simulate N times, with N seeds, and show medians and ranges.");

    private readonly Option<string[]> _scale = OptionOf.Texts(
        "--scale", "SCALING", "Nodes or replicas change under load; can be repeated. Times as those of --fault.");

    private readonly Option<bool> _json = OptionOf.Json(
        "Print the results in the format of run.json; with --repeat an array of them.");

    public SimulateCommand()
        : base("simulate", "Predicts by simulation what `./lab run` would measure, in about a second. It starts no process.")
    {
        Takes(
            _of.Stages, _system.Option, _of.Full, _of.K, _repeat, _of.Set, _of.Replicas, _of.Environment, _of.Open, _of.Fault, _scale,
            _of.Seed, _json);
        HasHelp(
            WriteMore,
            "simulate",
            "simulate 4 --set workflow.prefetchCount=300",
            "simulate 5-clean --fault 'kill workflow-1 at 120s for 30s' --fault 'slow delivery x10 at 300s for 20s'",
            "simulate 5-clean --scale 'workflow.replicas=6,nodes.count=12 at 240s'",
            "simulate 5-long --replicas workflow=6 --set nodes.count=12 --repeat 10",
            "simulate 2 --full --json",
            "simulate --system loadtest/systems/reference-2000.json --set workflow.replicas=50 --repeat 10");
    }

    private RunArguments Read(ParseResult parsed)
    {
        var run = _of.Of(parsed);
        return run with
        {
            Options = run.Options with { Scalings = [.. parsed.GetValue(_scale)!.Select(SimulatedScaling.Parse)] },
            Repeat = parsed.GetValue(_repeat),
            Json = parsed.GetValue(_json),
            Command = LineOf(parsed),
        };
    }

    protected override Task<ExitCode> RunAsync(ParseResult parsed, LabContext context, CancellationToken cancellationToken)
    {
        if (_system.Read(parsed, _of) is { } system)
            return Task.FromResult(Simulate(system, parsed, context, cancellationToken));
        var run = Read(parsed);
        var plan = run.WholeAt(context.Time.GetUtcNow());
        var progress = Progress.Lines(context.Error);
        var simulations = new List<IReadOnlyList<StageOutcome>>();
        for (var i = 0; i < run.Repeat; i++)
        {
            if (run.Repeat > 1)
                progress.Report($"Simulation {i + 1} of {run.Repeat}…");
            simulations.Add(Play(plan, run.Options.Seed + i, cancellationToken));
        }

        progress.Report("");
        context.Out.Write(
            run.Json ? JsonOf(plan, simulations, run, context.Time.GetUtcNow()) : null,
            screen => SimulatedTable.Write(screen, plan, simulations));
        return Task.FromResult(ExitCode.Held);
    }

    private ExitCode Simulate(SystemFile system, ParseResult parsed, LabContext context, CancellationToken cancellationToken)
    {
        var repeat = parsed.GetValue(_repeat);
        var figures = SystemFigures.For(system, Enumerable.Range(parsed.GetValue(_of.Seed), repeat), cancellationToken);
        context.Out.Write(
            parsed.GetValue(_json) ? JsonSerializer.Serialize(figures, JsonSerializerOptions.Web) : null,
            screen => SimulatedTable.Write(screen, system, figures, withRange: repeat > 1));
        return ExitCode.Held;
    }

    private static void WriteMore(TextWriter output)
    {
        output.WriteLine($"FAULT: {SimulatedFault.Grammar}.");
        output.WriteLine($"SCALING: {SimulatedScaling.Grammar}.");
        output.WriteLine(
            "`./lab run --help` lists the knobs. docs/explanation/model.md says how far to trust the model.\n");
    }

    private static List<StageOutcome> Play(RunPlan plan, int seed, CancellationToken cancellationToken)
    {
        var outcomes = new List<StageOutcome>();
        foreach (var stage in plan.Played)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var measured = SimulatedStage.Play(stage, seed);
            outcomes.Add(new(stage, measured.Load.StartedAt, measured, measured.Series));
        }

        return outcomes;
    }

    private static string JsonOf(
        RunPlan plan, IReadOnlyList<IReadOnlyList<StageOutcome>> simulations, RunArguments run, DateTimeOffset now)
    {
        List<RunRecord> records = [.. simulations.Select((outcomes, i) => RunRecord.Of(
            plan with { Options = plan.Options with { Seed = plan.Options.Seed + i } },
            outcomes, now, run.Command, MachineRecord.Simulated, calibration: null, telemetry: null, reason: null))];
        return records is [var only] ? only.ToJson() : RunRecord.ToJson(records);
    }
}
