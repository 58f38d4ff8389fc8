using System.CommandLine;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Judge;
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

    private readonly Option<bool> _verify = OptionOf.Flag("--verify", "Play the setting in the lab, and compare.");
    private readonly RunSelection _of = new();
    private readonly Option<string> _driver = SharedOptions.Driver(
        "Load generator of --verify. auto uses k6 if it is on PATH."
    );
    private readonly Option<bool> _json = OptionOf.Json(
        "Print the setting, what is smaller and why that fails as JSON."
    );

    public TuneCommand()
        : base(
            "tune",
            "Searches the smallest setting that completes --rate deliveries a second (nodes, then replicas, Redis, calls), and the "
                + "reason why each smaller one fails. Exit code 1: there is none, or the lab says otherwise."
        )
    {
        _rate.Required = true;
        Takes(
            _rate,
            _noLoss,
            _drain,
            _p95,
            _stage,
            _verify,
            _of.Set,
            _of.Replicas,
            _of.Environment,
            _of.Full,
            _of.K,
            _of.Seed,
            _driver,
            _of.Ports,
            _json
        );
        HasHelp(
            output =>
                output.WriteLine(
                    "A knob that is set is not searched. docs/how-to/ask-the-model.md describes the search.\n"
                ),
            "tune --rate 80 --no-loss",
            "tune --rate 40 --no-loss --drain 60s --set nodes.count=6 --verify",
            "tune --rate 120 --environment mine.json --json"
        );
    }

    protected override async Task<ExitCode> RunAsync()
    {
        var goal = Goal.Of(Get(_rate)!.Value, Get(_noLoss), SecondsOf(_drain, DrainTime), SecondsOf(_p95, AgeTime));
        if (!Get(_verify))
            Refuse("is for --verify: without it nothing is played.", _driver, _of.Ports);
        var run = _of.Of(Typed, stages: []) with { Driver = Get(_driver), Command = Line };
        var stage = StageOf(run.Options, goal);
        var tuned = Search(stage, goal);
        if (!Get(_json))
            Write(stage, tuned);
        var lab = Get(_verify) && tuned.Found is { } found ? await VerifyAsync(stage.PlanOf(found), goal, run) : null;
        if (Get(_json))
            await Out.Text.WriteLineAsync(TuneTable.Json(stage, tuned, lab));
        else if (lab is not null)
            TuneTable.WriteFound(Out.Screen, tuned, lab);
        return ExitCodeOf(tuned.Found is not null, Get(_verify), lab);
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
        {
            Out.Screen.WriteLine(
                "A run of the stage observes it no longer than before; --verify waits until the queue is empty."
            );
        }
    }

    private double? SecondsOf(Option<string?> option, Knob time) =>
        Get(option) is { } text ? time.Parse(text).Number : null;

    /// <summary>Held: there is a setting, and it holds in the lab where that was asked.</summary>
    /// <param name="lab">It, in the lab; null: not played.</param>
    internal static ExitCode ExitCodeOf(bool isFound, bool verifies, LabTrial? lab) =>
        isFound && (!verifies || lab is { Holds: true }) ? ExitCode.Held : ExitCode.Failed;

    private TunedStage StageOf(RunOptions given, Goal goal)
    {
        var options = given with { Overrides = KnobSet.Empty, Folder = RunsOnDisk.FolderOf(Clock.GetUtcNow(), "tune") };
        return TunedStage.Of(Stage.Load(Get(_stage)), goal, given.Overrides, options);
    }

    private async Task<LabTrial> VerifyAsync(StagePlan plan, Goal goal, RunArguments run)
    {
        using var onlyOne = LabLock.Acquire("tune");
        var options = plan.Options with { Folder = RunsOnDisk.FolderOf(Clock.GetUtcNow(), $"tune-{plan.Stage.Id}") };
        plan = plan with { Options = options };
        var record = await RunCommand.PlayAsync(new(options, [plan], []), run, Context, Left);
        return LabTrial.Of(record, goal, options.Folder);
    }
}
