using System.CommandLine;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

internal sealed class TuneCommand : Verb
{
    private static readonly Knob DrainTime = new("--drain", KnobUnit.Seconds, 1, 3600, "", "lab"),
        AgeTime = DrainTime with { Name = "--p95", Min = 0.001 };

    private readonly Option<double?> _rate = OptionOf.Number(
        "--rate",
        0.5,
        2000,
        "Deliveries per second that have to be completed once all users are active."
    );

    private readonly Option<bool> _noLoss = OptionOf.Flag(
        "--no-loss",
        "No lock may be lost, no message dead-lettered, no call answered with 5xx."
    );

    private readonly Option<string?> _drain = OptionOf.Text(
        "--drain",
        "TIME",
        "The queue has to be empty so long after the load, at full length: 60s, 2m."
    );

    private readonly Option<string?> _p95 = OptionOf.Text(
        "--p95",
        "TIME",
        "95 % of the messages have to be completed so long after acceptance, in the run as it is shortened: 800ms, 5s."
    );

    private readonly Option<string> _stage = OptionOf.Text(
        "--stage",
        "ID",
        "Stage to begin with: its load, its messages at the start, and the knobs that are not searched.",
        "2"
    );

    private readonly RunSelection _of = new();
    private readonly Option<bool> _json = OptionOf.Json(
        "Print the setting, what is smaller and why that fails as JSON."
    );

    public TuneCommand()
        : base(
            "tune",
            "Searches the smallest setting that completes --rate deliveries a second (nodes, then replicas, Redis, calls), and the "
                + "reason why each smaller one fails. Exit code 1 if no setting meets the goal."
        )
    {
        _rate.Required = true;
        Takes(
            _rate,
            _noLoss,
            _drain,
            _p95,
            _stage,
            _of.Set,
            _of.Replicas,
            _of.Environment,
            _of.Full,
            _of.K,
            _of.Seed,
            _json
        );
        HasHelp(
            output =>
                output.WriteLine(
                    "A knob that is set is not searched. docs/explanation/model.md describes the search.\n"
                ),
            "tune --rate 80 --no-loss",
            "tune --rate 40 --no-loss --drain 60s --set nodes.count=6",
            "tune --rate 120 --environment mine.json --json"
        );
    }

    protected override Task<ExitCode> RunAsync() => Task.FromResult(Run());

    private ExitCode Run()
    {
        var goal = Goal.Of(Get(_rate)!.Value, Get(_noLoss), SecondsOf(_drain, DrainTime), SecondsOf(_p95, AgeTime));
        var stage = StageOf(_of.Of(Typed, stages: []).Options, goal);
        var tuned = Search(stage, goal);
        if (Get(_json))
            Out.Text.WriteLine(TuneTable.Json(stage, tuned));
        else
            Write(stage, tuned);
        return tuned.Found is null ? ExitCode.Failed : ExitCode.Held;
    }

    private Tuned Search(TunedStage stage, Goal goal)
    {
        var progress = Progress.Lines(Context.Error);
        var tuned = new Tuner(stage, goal, Get(_of.Seed), progress, Left).Search();
        progress.Report("");
        return tuned;
    }

    private void Write(TunedStage stage, Tuned tuned)
    {
        TuneTable.Write(Out.Screen, stage, tuned);
        if (tuned.Found is null)
            return;
        Out.Text.WriteLine($"Play it: {TuneTable.PlayLine(stage, tuned)}"); // in one line, to be copied
        if (tuned.Goal.DrainSeconds is not null)
            Out.Screen.WriteLine("The run may end before its queue is empty: it observes the queue as long as before.");
    }

    private double? SecondsOf(Option<string?> option, Knob time) =>
        Get(option) is { } text ? time.Parse(text).Number : null;

    private TunedStage StageOf(RunOptions given, Goal goal)
    {
        var options = given with { Overrides = KnobSet.Empty };
        return TunedStage.Of(Stage.Load(Get(_stage)), goal, given.Overrides, options);
    }
}
