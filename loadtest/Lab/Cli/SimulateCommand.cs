using System.CommandLine;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

internal sealed class SimulateCommand : Verb
{
    private readonly RunSelection _of = new();
    private readonly SystemOption _system = new("--repeat", "--seed", "--json");
    private readonly Option<int> _repeat = OptionOf.WholeNumber(
        "--repeat",
        1,
        1,
        1000,
        "Simulate N times, with N seeds, and show medians and ranges."
    );

    private readonly Option<bool> _json = OptionOf.Json(
        "Print the results in the format of run.json; with --repeat an array of them."
    );

    public SimulateCommand()
        : base(
            "simulate",
            "Predicts by simulation what `./lab run` would measure, in about a second. It starts no process."
        )
    {
        Takes(
            _of.Stages,
            _system.Option,
            _of.Full,
            _of.K,
            _repeat,
            _of.Set,
            _of.Replicas,
            _of.Environment,
            _of.Open,
            _of.Fault,
            _of.Seed,
            _json
        );
        HasHelp(
            WriteMore,
            "simulate",
            "simulate 4 --set workflow.prefetchCount=300",
            "simulate 5-clean --fault 'kill workflow-1 at 120s for 30s' --fault 'slow delivery x10 at 300s for 20s'",
            "simulate 5-long --replicas workflow=6 --set nodes.count=12 --repeat 10",
            "simulate 2 --full --json",
            "simulate --system loadtest/systems/reference-2000.json --set workflow.replicas=50 --repeat 10"
        );
    }

    protected override Task<ExitCode> RunAsync()
    {
        if (_system.Read(Typed, _of) is { } system)
            Simulate(system);
        else
            Simulate();
        return Task.FromResult(ExitCode.Held);
    }

    private void Simulate()
    {
        var (run, repeat) = (_of.Of(Typed), Get(_repeat));
        var plan = run.ModelPlanAt(Clock.GetUtcNow());
        var progress = Progress.Lines(Context.Error);
        var simulations = new List<IReadOnlyList<StageOutcome>>();
        for (var i = 0; i < repeat; i++)
        {
            if (repeat > 1)
                progress.Report($"Simulation {i + 1} of {repeat}…");
            simulations.Add(Play(plan, run.Options.Seed + i));
        }
        progress.Report("");
        Out.Write(Get(_json) ? JsonOf(plan, simulations) : null, screen => Write(screen, plan, simulations));
    }

    private void Simulate(SystemFile system)
    {
        var repeat = Get(_repeat);
        var figures = SystemFigures.For(system, Enumerable.Range(Get(_of.Seed), repeat), Stopping);
        Out.Write(Get(_json) ? PrintedJson.Of(figures) : null, screen =>
            screen.Write(TableOf(system.Name, SystemFigures.All, figures, withRange: repeat > 1, [], _ => []))
        );
    }

    private static void WriteMore(TextWriter output)
    {
        output.WriteLine($"FAULT: {StageFault.Grammar}.");
        output.WriteLine(
            "`./lab run --help` lists the knobs. For the accuracy of the model, see docs/explanation/model.md.\n"
        );
    }

    private List<StageOutcome> Play(RunPlan plan, int seed)
    {
        var outcomes = new List<StageOutcome>();
        foreach (var stage in plan.Played)
        {
            Stopping.ThrowIfCancellationRequested();
            var measured = SimulatedStage.Play(stage, seed);
            outcomes.Add(new(stage, measured.Load.StartedAt, measured, measured.Series));
        }

        return outcomes;
    }

    private string JsonOf(RunPlan plan, IReadOnlyList<IReadOnlyList<StageOutcome>> simulations)
    {
        List<RunRecord> records =
        [
            .. simulations.Select(
                (outcomes, i) =>
                    RunRecord.Of(
                        plan with
                        {
                            Options = plan.Options with { Seed = plan.Options.Seed + i },
                        },
                        outcomes,
                        Clock.GetUtcNow(),
                        Line,
                        MachineRecord.Simulated,
                        calibration: null,
                        telemetry: null,
                        reason: null
                    )
            ),
        ];
        return records is [var only] ? only.ToJson() : RunRecord.ToJson(records);
    }

    private static void Write(IAnsiConsole output, RunPlan plan, List<IReadOnlyList<StageOutcome>> simulations)
    {
        for (var i = 0; i < plan.Played.Count; i++)
        {
            var stage = plan.Played[i];
            var figures = SimulatedFigures.Of(simulations.Select(outcomes => FigureTable.Of(outcomes[i].Measured!)));
            output.Write(TableOf(stage, figures, withRange: simulations.Count > 1));
            foreach (var sentence in SimulatedSetting.NotSimulated(stage))
                output.WriteLine(sentence);
        }

        if (plan.Options.IsChanged)
            output.WriteLine("The knobs differ from the published stages, so the bands don't apply.");
    }

    private static Table TableOf(
        StagePlan plan,
        IReadOnlyDictionary<string, SimulatedFigure> figures,
        bool withRange
    ) =>
        TableOf(
            $"Stage {plan.Stage.Id}: {plan.Stage.Title}",
            FigureTable.All,
            figures,
            withRange,
            ["published knobs#", "band"],
            figure =>
                [
                    Cell.Of(plan.Stage.Prediction(figure.Name, plan.K), figure.Unit),
                    string.Join(
                        "; ",
                        plan.Stage.Checks.Where(check => check.Figure == figure.Name)
                            .Select(check => BandOf(check, plan.K))
                    ),
                ]
        );

    private static Table TableOf(
        string title,
        IEnumerable<Figure> all,
        IReadOnlyDictionary<string, SimulatedFigure> figures,
        bool withRange,
        string[] more,
        Func<Figure, Cell[]> moreOf
    ) =>
        Table.Of(
            title,
            ["figure", "meaning", "simulated#", .. withRange ? ["range#"] : Array.Empty<string>(), .. more],
            all.Where(figure => figures.ContainsKey(figure.Name)),
            figure =>
                [
                    figure.Name,
                    figure.Meaning,
                    Cell.Of(figures[figure.Name].Median, figure.Unit),
                    .. withRange ? [RangeOf(figures[figure.Name], figure.Unit)] : Array.Empty<Cell>(),
                    .. moreOf(figure),
                ]
        );

    private static string RangeOf(SimulatedFigure figure, string unit) =>
        $"{NumberText.Of(figure.Min)}–{NumberText.Of(figure.Max)}{unit}";

    private static string BandOf(Check check, double k)
    {
        var unit = check.RelativeTo is { } other ? $" × stage {other}" : FigureTable.Find(check.Figure).Unit;
        return $"{check.Id}: {check.BandAt(k)}{unit}";
    }
}
