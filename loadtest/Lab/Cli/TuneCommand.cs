using System.CommandLine;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Experiments;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <param name="Run">What a run needs. Knobs that are set are not searched.</param>
/// <param name="From">A run whose telemetry tells what things cost; null: the environment does.</param>
/// <param name="Verify">Whether the setting is played in the lab.</param>
/// <param name="VerifyNext">Whether the next cheaper one is.</param>
internal sealed record TuneArguments(RunArguments Run, string? From, bool Verify, bool VerifyNext);

/// <summary><c>lab tune</c>: searches the cheapest setting that does what is asked.</summary>
internal sealed class TuneCommand : Verb
{
    private static readonly Knob
        DrainTime = new("--drain", KnobUnit.Seconds, 1, 3600, "", "lab"), AgeTime = DrainTime with { Name = "--p95", Min = 0.001 };

    private readonly Option<double?> _rate =
        OptionOf.Number("--rate", 0.5, 2000, "Deliveries per second that have to be completed once all users are active.");

    private readonly Option<bool> _noLoss = OptionOf.Flag(
        "--no-loss", "No lock may be lost, no message dead-lettered, no call answered with 5xx.");

    private readonly Option<string?> _drain = OptionOf.Text(
        "--drain", "TIME", "The queue has to be empty so long after the load, at full length: 60s, 2m.");

    private readonly Option<string?> _p95 = OptionOf.Text(
        "--p95", "TIME", "95 % of the messages have to be completed so long after acceptance, in the run as it is shortened: 800ms, 5s.");

    private readonly Option<string?> _maxCost = OptionOf.Text(
        "--max-cost", "AMOUNT", "What a month may cost at most, in the currency of the prices: 900 or 900USD.");

    private readonly Option<string> _prices = SharedOptions.Prices();
    private readonly Option<string?> _database = SharedOptions.Database();
    private readonly Option<string> _stage = OptionOf.Text(
        "--stage", "ID", "Stage to begin with: its load, its messages at the start, and the knobs that are not searched.", "2");

    private readonly Option<string?> _from = OptionOf.Text(
        "--from", "RUN", "Take latencies and CPU costs from what a run measured, as `calibrate` does.");

    private readonly Option<bool> _verify = OptionOf.Flag("--verify", "Play the setting in the lab, and compare.");
    private readonly Option<bool> _verifyNext = OptionOf.Flag(
        "--verify-next", "Play the next cheaper setting, too: it has to fail. Includes --verify.");

    private readonly RunSelection _of = new();
    private readonly SystemOption _system = new("--rate", "--no-loss", "--drain", "--p95", "--seed", "--json");
    private readonly Option<string> _driver = SharedOptions.Driver("Load generator of --verify. auto uses k6 if it is on PATH.");
    private readonly Option<bool> _json = OptionOf.Json("Print the setting, what is cheaper and why that fails as JSON.");

    public TuneCommand()
        : base(
            "tune",
            "Searches the cheapest setting that completes --rate deliveries a second (money; then nodes, replicas, Redis, calls), and says "
                + "why each cheaper one fails. Exit code 1: there is none, it costs more than --max-cost, or the lab says otherwise.")
    {
        _rate.Required = true;
        Takes(
            _rate, _noLoss, _drain, _p95, _maxCost, _prices, _database, _stage, _system.Option, _from, _verify, _verifyNext,
            _of.Set, _of.Replicas, _of.Environment, _of.Full, _of.K, _of.Seed, _driver, _of.Ports, _json);
        HasHelp(
            output => output.WriteLine("A knob that is set is not searched. docs/how-to/ask-the-model.md says how the search goes.\n"),
            "tune --rate 80 --no-loss",
            "tune --rate 80 --no-loss --max-cost 1200",
            "tune --rate 40 --no-loss --drain 60s --set nodes.count=6 --verify",
            "tune --rate 120 --from last --json",
            "tune --rate 1500 --p95 1s --system loadtest/systems/reference-2000.json");
    }

    private TuneArguments Read(ParseResult parsed)
    {
        var verifies = parsed.GetValue(_verify) || parsed.GetValue(_verifyNext);
        if (!verifies && SystemOption.Typed(parsed).FirstOrDefault(name => name is "--driver" or "--port-offset") is { } idle)
            throw new BadInputException($"{idle} is for --verify: without it nothing is played.");
        var run = _of.Of(parsed, stages: []) with
        {
            Driver = parsed.GetValue(_driver)!,
            Json = parsed.GetValue(_json),
            Command = LineOf(parsed),
        };
        return new(run, parsed.GetValue(_from), verifies, parsed.GetValue(_verifyNext));
    }

    protected override async Task<ExitCode> RunAsync(ParseResult parsed, LabContext context, CancellationToken cancellationToken)
    {
        var goal = new Goal(
            parsed.GetValue(_rate)!.Value, parsed.GetValue(_noLoss),
            parsed.GetValue(_drain) is { } drain ? DrainTime.Parse(drain).Number : null,
            parsed.GetValue(_p95) is { } p95 ? AgeTime.Parse(p95).Number : null);
        if (_system.Read(parsed, _of) is { } system)
            return Tune(system, goal, parsed, context, cancellationToken);
        var arguments = Read(parsed);
        // Another run may be the last one by the time somebody plays what is found.
        if (arguments.From == ExperimentsOnDisk.LastRun)
            arguments = arguments with { From = Path.GetFileName(RunsOnDisk.Find(null)) };
        var setup = await SetupAsync(parsed, arguments, goal, context, cancellationToken);
        var progress = Progress.Lines(context.Error);
        var tuned = new Tuner(setup, goal, progress, cancellationToken).Search();
        progress.Report("");
        var json = arguments.Run.Json;
        if (!json)
            TuneTable.Write(context.Out, tuned, arguments);
        var verified = arguments.Verify && tuned.Found is not null
            ? await VerifyAsync(tuned, arguments, context, cancellationToken)
            : (Found: null, Next: null);
        if (json)
            context.Out.Text.WriteLine(TuneJson.Of(tuned, verified.Found, verified.Next));
        return ExitCodeOf(tuned.Found is not null, arguments, verified.Found, verified.Next);
    }

    private ExitCode Tune(SystemFile system, Goal goal, ParseResult parsed, LabContext context, CancellationToken cancellationToken)
    {
        bool IsFixed(string field) => parsed.GetValue(_of.Set)!.Any(pair => pair.StartsWith($"{field}=", StringComparison.Ordinal));
        var tuned = new SystemTuner(system.WithRate(goal.Rate), goal, IsFixed, parsed.GetValue(_of.Seed), cancellationToken).Search();
        context.Out.Write(
            parsed.GetValue(_json) ? TuneJson.Of(goal, tuned) : null, screen => TuneTable.Write(screen, system, goal, tuned));
        return tuned.Found is null ? ExitCode.Failed : ExitCode.Held;
    }

    /// <summary>Held: there is a setting, and the lab says what the model says of all that it was asked.</summary>
    /// <param name="found">It, in the lab; null: not played.</param>
    /// <param name="next">The next cheaper one; likewise.</param>
    internal static ExitCode ExitCodeOf(bool isFound, TuneArguments arguments, LabTrial? found, LabTrial? next) =>
        isFound && (!arguments.Verify || found is { Holds: true }) && (!arguments.VerifyNext || next is { Fails: true })
            ? ExitCode.Held
            : ExitCode.Failed;

    private async Task<TuneSetup> SetupAsync(
        ParseResult parsed, TuneArguments arguments, Goal goal, LabContext context, CancellationToken cancellationToken)
    {
        var (given, knobs) = (arguments.Run.Options, arguments.Run.Options.Overrides);
        var options = given with { Overrides = KnobSet.Empty, Folder = RunsOnDisk.FolderOf(context.Time.GetUtcNow(), "tune") };
        var stage = Stage.Load(parsed.GetValue(_stage)!);
        var budget = Budget.Of(parsed.GetValue(_prices)!, parsed.GetValue(_database), parsed.GetValue(_maxCost));
        if (arguments.From is not { } from)
            return TuneSetup.Of(stage, goal, knobs, options, environment: null, budget);
        var calibrated = await CalibratedRun.MeasuredByAsync(from, given.Environment, context.Error.Text, cancellationToken);
        return TuneSetup.Of(stage, goal, knobs, options, calibrated.Environment, budget);
    }

    private static async Task<(LabTrial? Found, LabTrial? Next)> VerifyAsync(
        Tuned tuned, TuneArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        using var onlyOne = LabLock.Acquire("tune");
        var found = await PlayAsync(tuned, tuned.Found!, arguments, context, cancellationToken);
        if (!arguments.Run.Json)
            TuneTable.WriteFound(context.Out.Screen, tuned, found);
        if (!arguments.VerifyNext)
            return (found, null);
        if (tuned.NextThatFails is not { } cheaper)
        {
            await context.Error.Text.WriteLineAsync(TuneTable.NothingToPlay);
            return (found, null);
        }

        var next = await PlayAsync(tuned, cheaper.Candidate, arguments, context, cancellationToken);
        if (!arguments.Run.Json)
            TuneTable.WriteNext(context.Out.Screen, cheaper, next);
        return (found, next);
    }

    private static async Task<LabTrial> PlayAsync(
        Tuned tuned, Candidate candidate, TuneArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        var plan = tuned.Setup.PlanOf(candidate);
        var options = plan.Options with { Folder = RunsOnDisk.FolderOf(context.Time.GetUtcNow(), $"tune-{plan.Stage.Id}") };
        plan = plan with { Options = options };
        var run = await RunCommand.PlayAsync(new(options, [plan], []), arguments.Run, context, cancellationToken);
        return LabTrial.Of(run, tuned.Goal, options.Folder);
    }
}
