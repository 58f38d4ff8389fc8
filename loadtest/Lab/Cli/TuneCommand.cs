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
        "Deliveries per second to complete at full load."
    );

    private readonly Option<bool> _noLoss = OptionOf.Flag(
        "--no-loss",
        "Allow no expired lock, no dead-lettered message and no 5xx response."
    );

    private readonly Option<string?> _drain = OptionOf.Text(
        "--drain",
        "TIME",
        "Maximum time to drain the queue after the load, at full scale: 60s, 2m."
    );

    private readonly Option<string?> _p95 = OptionOf.Text(
        "--p95",
        "TIME",
        "Maximum 95th percentile of the time from acceptance to completion, in the scaled run: 800ms, 5s."
    );

    private readonly Option<string> _stage = OptionOf.Text(
        "--stage",
        "ID",
        "Stage that provides the load, the initial messages, and the knobs that aren't searched.",
        "2"
    );

    private readonly RunSelection _of = new();
    private readonly Option<bool> _json = OptionOf.Json("Print the configuration, and why smaller ones fail, as JSON.");

    public TuneCommand()
        : base(
            "tune",
            "Searches for the smallest configuration that completes --rate deliveries per second (nodes, then replicas, Redis, "
                + "calls), and shows why each smaller one fails. Exit code 1 if no configuration meets the goal."
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
                    "Knobs that you set aren't searched. docs/explanation/model.md describes the search.\n"
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
        var tuned = new Tuner(stage, goal, Get(_of.Seed), progress, Stopping).Search();
        progress.Report("");
        return tuned;
    }

    private void Write(TunedStage stage, Tuned tuned)
    {
        TuneTable.Write(Out.Screen, stage, tuned);
        if (tuned.Found is null)
            return;
        Out.Text.WriteLine($"To run this configuration: {TuneTable.RunLine(stage, tuned)}"); // on one line, so it can be copied
        if (tuned.Goal.DrainSeconds is not null)
            Out.Screen.WriteLine("The run may end before its queue is empty: its observation time is unchanged.");
    }

    private double? SecondsOf(Option<string?> option, Knob time) =>
        Get(option) is { } text ? time.Parse(text).Number : null;

    private TunedStage StageOf(RunOptions given, Goal goal)
    {
        var options = given with { Overrides = KnobSet.Empty };
        return TunedStage.Of(Stage.Load(Get(_stage)), goal, given.Overrides, options);
    }
}
