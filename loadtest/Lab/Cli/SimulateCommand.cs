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
    private readonly Option<bool> _open = OptionOf.Flag("--open", "Open model: send requests on time even if answers are late.");
    private readonly Option<string[]> _fault = SharedOptions.Fault();

    private readonly Option<string[]> _scale = OptionOf.Texts(
        "--scale", "SCALING", "Nodes or replicas change under load; can be repeated. Times as those of --fault.");

    private readonly Option<int> _seed = SharedOptions.Seed();
    private readonly Option<bool> _json = OptionOf.Json(
        "Print the results in the format of run.json; with --repeat an array of them.");

    public SimulateCommand()
        : base("simulate", "Predicts by simulation what `./lab run` would measure, in about a second. It starts no process.")
    {
        Takes(
            _of.Stages, _system.Option, _of.Full, _of.K, _repeat, _of.Set, _of.Replicas, _of.Environment, _open, _fault, _scale, _seed,
            _json);
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

    private RunArguments Read(ParseResult parsed) => _of.Of(parsed) with
    {
        Repeat = parsed.GetValue(_repeat),
        Open = parsed.GetValue(_open),
        Faults = parsed.GetValue(_fault)!,
        Scalings = parsed.GetValue(_scale)!,
        Seed = parsed.GetValue(_seed),
        Json = parsed.GetValue(_json),
        Command = LineOf(parsed),
    };

    protected override Task<ExitCode> RunAsync(ParseResult parsed, LabContext context, CancellationToken cancellationToken)
    {
        var run = Read(parsed);
        if (_system.Read(parsed, _of) is { } system)
            return Task.FromResult(Simulate(system, run, context, cancellationToken));
        var plan = AllOf(run.PlanAt(context.Time.GetUtcNow()));
        var progress = Progress.Lines(context.Error);
        var simulations = new List<IReadOnlyList<StageOutcome>>();
        for (var i = 0; i < run.Repeat; i++)
        {
            if (run.Repeat > 1)
                progress.Report($"Simulation {i + 1} of {run.Repeat}…");
            simulations.Add(Play(plan, run.Seed + i, cancellationToken));
        }

        progress.Report("");
        if (run.Json)
            WriteJson(plan, simulations, run, context);
        else
            SimulatedTable.Write(context.Out.Screen, plan, simulations);
        return Task.FromResult(ExitCode.Held);
    }

    private static ExitCode Simulate(SystemFile system, RunArguments run, LabContext context, CancellationToken cancellationToken)
    {
        var figures = SystemFigures.For(system, Enumerable.Range(run.Seed, run.Repeat), cancellationToken);
        if (run.Json)
            context.Out.Text.WriteLine(JsonSerializer.Serialize(figures, JsonSerializerOptions.Web));
        else
            SimulatedTable.Write(context.Out.Screen, system, figures, withRange: run.Repeat > 1);
        return ExitCode.Held;
    }

    private static void WriteMore(TextWriter output)
    {
        output.WriteLine($"FAULT: {SimulatedFault.Grammar}.");
        output.WriteLine($"SCALING: {SimulatedScaling.Grammar}.");
        output.WriteLine(
            "`./lab run --help` lists the knobs. docs/explanation/model.md says how far to trust the model.\n");
    }

    /// <summary>The first half of a stage is a stage of its own here: to simulate it costs nothing.</summary>
    private static RunPlan AllOf(RunPlan plan) => plan with
    {
        Played = [.. plan.Played.Concat(plan.Halves).OrderBy(stage => stage.Stage.Id, StringComparer.Ordinal)],
        Halves = [],
    };

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

    private static void WriteJson(
        RunPlan plan, IReadOnlyList<IReadOnlyList<StageOutcome>> simulations, RunArguments run, LabContext context)
    {
        var now = context.Time.GetUtcNow();
        List<RunRecord> records = [.. simulations.Select((outcomes, i) => RunRecord.Of(
            plan with { Options = plan.Options with { Seed = run.Seed + i } },
            outcomes, now, run.Command, MachineRecord.Simulated, calibration: null, telemetry: null, reason: null))];
        context.Out.Text.WriteLine(records is [var only] ? only.ToJson() : RunRecord.ToJson(records));
    }
}
