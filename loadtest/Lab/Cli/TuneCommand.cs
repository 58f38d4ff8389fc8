using System.CommandLine;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

/// <param name="Run">What a run needs. Knobs that are set are not searched.</param>
/// <param name="From">A run whose telemetry tells what things cost; null: the environment does.</param>
internal sealed record TuneArguments(RunArguments Run, string? From);

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

    private readonly Option<string?> _from = OptionOf.Text(
        "--from",
        "RUN",
        "Take latencies and CPU costs from what a run measured, as `calibrate` does."
    );

    private readonly Option<bool> _verify = OptionOf.Flag("--verify", "Play the setting in the lab, and compare.");
    private readonly Option<bool> _verifyNext = OptionOf.Flag(
        "--verify-next",
        "Play the next smaller setting, too: it has to fail. Includes --verify."
    );

    private readonly RunSelection _of = new();
    private readonly SystemOption _system = new("--rate", "--no-loss", "--drain", "--p95", "--seed", "--json");
    private readonly Option<string> _driver = SharedOptions.Driver(
        "Load generator of --verify. auto uses k6 if it is on PATH."
    );
    private readonly Option<bool> _json = OptionOf.Json(
        "Print the setting, what is smaller and why that fails as JSON."
    );

    public TuneCommand()
        : base(
            "tune",
            "Searches the smallest setting that completes --rate deliveries a second (nodes, then replicas, Redis, calls), and says why "
                + "each smaller one fails. Exit code 1: there is none, or the lab says otherwise."
        )
    {
        _rate.Required = true;
        Takes(
            _rate,
            _noLoss,
            _drain,
            _p95,
            _stage,
            _system.Option,
            _from,
            _verify,
            _verifyNext,
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
                    "A knob that is set is not searched. docs/how-to/ask-the-model.md says how the search goes.\n"
                ),
            "tune --rate 80 --no-loss",
            "tune --rate 40 --no-loss --drain 60s --set nodes.count=6 --verify",
            "tune --rate 120 --from last --json",
            "tune --rate 1500 --p95 1s --system loadtest/systems/reference-2000.json"
        );
    }

    private bool Verifies => Get(_verify) || Get(_verifyNext);

    protected override async Task<ExitCode> RunAsync()
    {
        var goal = Goal.Of(Get(_rate)!.Value, Get(_noLoss), SecondsOf(_drain, DrainTime), SecondsOf(_p95, AgeTime));
        if (_system.Read(Typed, _of) is { } system)
            return Tune(system, goal);
        if (!Verifies)
            Refuse("is for --verify: without it nothing is played.", _driver, _of.Ports);
        var arguments = new TuneArguments(
            _of.Of(Typed, stages: []) with
            {
                Driver = Get(_driver),
                Command = Line,
            },
            // Another run may be the last one by the time somebody plays what is found.
            Get(_from) is RunsOnDisk.Last
                ? Path.GetFileName(RunsOnDisk.Find(null))
                : Get(_from)
        );
        var stage = await StageAsync(arguments, goal);
        var tuned = Search(stage, goal);
        if (!Get(_json))
            Write(stage, tuned, arguments);
        var (found, next) =
            Verifies && tuned.Found is not null ? await VerifyAsync(stage, tuned, arguments) : (null, null);
        if (Get(_json))
            await Out.Text.WriteLineAsync(TuneTable.Json(stage, tuned, found, next));
        return ExitCodeOf(tuned.Found is not null, Verifies, Get(_verifyNext), found, next);
    }

    private Tuned Search(ITunable tunable, Goal goal)
    {
        var progress = Progress.Lines(Context.Error);
        var tuned = new Tuner(tunable, goal, Get(_of.Seed), progress, Left).Search();
        progress.Report("");
        return tuned;
    }

    private void Write(TunedStage stage, Tuned tuned, TuneArguments arguments)
    {
        TuneTable.Write(Out.Screen, stage, tuned);
        if (tuned.Found is null)
            return;
        Out.Text.WriteLine($"Play it: {TuneTable.PlayLine(stage, tuned, arguments)}"); // in one line, to be copied
        if (tuned.Goal.DrainSeconds is not null)
        {
            Out.Screen.WriteLine(
                "A run of the stage observes it no longer than before; --verify waits until the queue is empty."
            );
        }
    }

    private double? SecondsOf(Option<string?> option, Knob time) =>
        Get(option) is { } text ? time.Parse(text).Number : null;

    private ExitCode Tune(SystemFile system, Goal goal)
    {
        bool IsFixed(string field) => Get(_of.Set).Any(pair => pair.StartsWith($"{field}=", StringComparison.Ordinal));

        var tunable = new TunedSystem(system, goal, IsFixed, Get(_of.Seed));
        var tuned = Search(tunable, goal);
        Out.Write(Get(_json) ? TuneTable.Json(tunable, tuned) : null, screen =>
            TuneTable.Write(screen, tunable, tuned)
        );
        return tuned.Found is null ? ExitCode.Failed : ExitCode.Held;
    }

    /// <summary>Held: there is a setting, and the lab says what the model says of all that it was asked.</summary>
    /// <param name="found">It, in the lab; null: not played.</param>
    /// <param name="next">The next smaller one; likewise.</param>
    internal static ExitCode ExitCodeOf(
        bool isFound,
        bool verifies,
        bool verifiesNext,
        LabTrial? found,
        LabTrial? next
    ) =>
        isFound && (!verifies || found is { Holds: true }) && (!verifiesNext || next is { Fails: true })
            ? ExitCode.Held
            : ExitCode.Failed;

    private async Task<TunedStage> StageAsync(TuneArguments arguments, Goal goal)
    {
        var (given, knobs) = (arguments.Run.Options, arguments.Run.Options.Overrides);
        var options = given with { Overrides = KnobSet.Empty, Folder = RunsOnDisk.FolderOf(Clock.GetUtcNow(), "tune") };
        var environment = arguments.From is { } from
            ? (await CalibratedRun.MeasuredByAsync(from, given.Environment, Error, Left)).Environment
            : null;
        return TunedStage.Of(Stage.Load(Get(_stage)), goal, knobs, options, environment);
    }

    private async Task<(LabTrial? Found, LabTrial? Next)> VerifyAsync(
        TunedStage stage,
        Tuned tuned,
        TuneArguments arguments
    )
    {
        using var onlyOne = LabLock.Acquire("tune");
        var found = await PlayAsync(stage.PlanOf(tuned.Found!), tuned.Goal, arguments);
        if (!Get(_json))
            TuneTable.WriteFound(Out.Screen, tuned, found);
        if (!Get(_verifyNext))
            return (found, null);
        if (tuned.NextThatFails is not { } smaller)
        {
            await Error.WriteLineAsync(
                "The model finds no smaller configuration that clearly fails, so --verify-next has nothing to run."
            );
            return (found, null);
        }

        var next = await PlayAsync(stage.PlanOf(smaller.Numbers), tuned.Goal, arguments);
        if (!Get(_json))
            TuneTable.WriteNext(Out.Screen, smaller, next);
        return (found, next);
    }

    private async Task<LabTrial> PlayAsync(StagePlan plan, Goal goal, TuneArguments arguments)
    {
        var options = plan.Options with { Folder = RunsOnDisk.FolderOf(Clock.GetUtcNow(), $"tune-{plan.Stage.Id}") };
        plan = plan with { Options = options };
        var run = await RunCommand.PlayAsync(new(options, [plan], []), arguments.Run, Context, Left);
        return LabTrial.Of(run, goal, options.Folder);
    }
}
