using System.CommandLine;
using System.Globalization;
using DroneDelivery.Lab.Calibrations;
using DroneDelivery.Lab.Experiments;
using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Planning;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Lab.Tuning;

namespace DroneDelivery.Lab.Commands;

internal sealed record TuneArguments
{
    /// <summary>Deliveries per second.</summary>
    public double Rate { get; init; }

    public bool NoLoss { get; init; }

    /// <summary>As it was typed; null: whenever.</summary>
    public string? Drain { get; init; }

    /// <summary>What a month may cost, as it was typed; null: any amount.</summary>
    public string? MaxCost { get; init; }

    /// <summary>Name of the prices.</summary>
    public string Prices { get; init; } = PriceFile.Default;

    /// <summary>Size of the database in the prices; null: the first.</summary>
    public string? Database { get; init; }

    public string Stage { get; init; } = "2";

    /// <summary>A run whose telemetry tells what things cost; null: the environment does.</summary>
    public string? From { get; init; }

    /// <summary>Whether the setting is played in the lab, and whether the next cheaper one is.</summary>
    public bool Verify { get; init; }

    public bool VerifyNext { get; init; }

    /// <summary>The rest of what a run needs. Knobs that are set are not searched.</summary>
    public RunArguments Run { get; init; } = new();
}

/// <summary><c>lab tune</c>: searches the cheapest setting that does what is asked.</summary>
internal sealed class TuneCommand : Verb<TuneArguments>
{
    private const double SlowestRate = 0.5, FastestRate = 2000;

    private static readonly Knob DrainTime = new("--drain", KnobUnit.Seconds, 1, 3600, "", "lab");

    private readonly Option<double> _rate = Rate();
    private readonly Option<bool> _noLoss = new("--no-loss")
    {
        Description = "No lock may be lost, no message dead-lettered, no call answered with 5xx.",
    };

    private readonly Option<string?> _drain = new("--drain")
    {
        HelpName = "TIME",
        Description = "The queue has to be empty so long after the load, at full length: 60s, 2m.",
    };

    private readonly Option<string?> _maxCost = new("--max-cost")
    {
        HelpName = "AMOUNT",
        Description = "What a month may cost at most, in the currency of the prices: 900 or 900USD.",
    };

    private readonly Option<string> _prices = SharedOptions.Prices();
    private readonly Option<string?> _database = SharedOptions.Database();
    private readonly Option<string> _stage = new("--stage")
    {
        HelpName = "ID",
        Description = "Stage to begin with: its load, its messages at the start, and the knobs that are not searched.",
        DefaultValueFactory = _ => "2",
    };

    private readonly Option<string?> _from = new("--from")
    {
        HelpName = "RUN",
        Description = "Take latencies and CPU costs from what a run measured, as `calibrate` does.",
    };

    private readonly Option<bool> _verify = new("--verify") { Description = "Play the setting in the lab, and compare." };
    private readonly Option<bool> _verifyNext = new("--verify-next")
    {
        Description = "Play the next cheaper setting, too: it has to fail. Includes --verify.",
    };

    private readonly Option<string[]> _set = SharedOptions.Set();
    private readonly Option<string[]> _replicas = SharedOptions.Replicas();
    private readonly Option<string?> _environment = SharedOptions.Environment("the stage's");
    private readonly Option<bool> _full = SharedOptions.Full();
    private readonly Option<int> _k = SharedOptions.K();
    private readonly Option<int> _seed = SharedOptions.Seed();
    private readonly Option<string> _driver = SharedOptions.Driver("Load generator of --verify. auto uses k6 if it is on PATH.");
    private readonly Option<int> _ports = SharedOptions.PortOffset();
    private readonly Option<bool> _json = SharedOptions.Json("Print the setting, what is cheaper and why that fails as JSON.");

    public TuneCommand()
        : base(
            "tune",
            "Searches the cheapest setting that completes --rate deliveries a second (money; then nodes, replicas, Redis, calls), and says "
                + "why each cheaper one fails. Exit code 1: there is none, it costs more than --max-cost, or the lab says otherwise.")
    {
        Takes(
            _rate, _noLoss, _drain, _maxCost, _prices, _database, _stage, _from, _verify, _verifyNext, _set, _replicas, _environment,
            _full, _k, _seed, _driver, _ports, _json);
        HasHelp(
            output => output.WriteLine("A knob that is set is not searched. docs/model.md says how the search goes.\n"),
            "tune --rate 80 --no-loss",
            "tune --rate 80 --no-loss --max-cost 1200",
            "tune --rate 40 --no-loss --drain 60s --set nodes.count=6 --verify",
            "tune --rate 120 --from last --json");
    }

    protected override TuneArguments Read(ParseResult parsed)
    {
        var verifies = parsed.GetValue(_verify) || parsed.GetValue(_verifyNext);
        if (!verifies && ((Option[])[_driver, _ports]).FirstOrDefault(it => parsed.GetResult(it) is { Implicit: false }) is { } idle)
            throw new BadInputException($"{idle.Name} is for --verify: without it nothing is played.");
        return ArgumentsOf(parsed) with { Verify = verifies };
    }

    private TuneArguments ArgumentsOf(ParseResult parsed) => new()
    {
        Rate = parsed.GetValue(_rate),
        NoLoss = parsed.GetValue(_noLoss),
        Drain = parsed.GetValue(_drain),
        MaxCost = parsed.GetValue(_maxCost),
        Prices = parsed.GetValue(_prices)!,
        Database = parsed.GetValue(_database),
        Stage = parsed.GetValue(_stage)!,
        From = parsed.GetValue(_from),
        VerifyNext = parsed.GetValue(_verifyNext),
        Run = new()
        {
            IsFull = parsed.GetValue(_full),
            K = parsed.GetValue(_k),
            Driver = parsed.GetValue(_driver)!,
            Set = parsed.GetValue(_set)!,
            Replicas = parsed.GetValue(_replicas)!,
            Environment = parsed.GetValue(_environment),
            Seed = parsed.GetValue(_seed),
            Ports = new(parsed.GetValue(_ports)),
            Json = parsed.GetValue(_json),
            Command = LineOf(parsed),
        },
    };

    public override async Task<ExitCode> RunAsync(TuneArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        var goal = new Goal(
            arguments.Rate, arguments.NoLoss, arguments.Drain is { } drain ? DrainTime.Parse(drain).Number : null);
        // Another run may be the last one by the time somebody plays what is found.
        if (arguments.From == ExperimentsOnDisk.LastRun)
            arguments = arguments with { From = Path.GetFileName(RunsOnDisk.Find(null)) };
        var setup = await SetupAsync(arguments, goal, context, cancellationToken);
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

    /// <summary>Held: there is a setting, and the lab says what the model says of all that it was asked.</summary>
    /// <param name="isFound">Whether there is a setting.</param>
    /// <param name="found">It, in the lab; null: not played.</param>
    /// <param name="next">The next cheaper one; likewise.</param>
    internal static ExitCode ExitCodeOf(bool isFound, TuneArguments arguments, LabTrial? found, LabTrial? next) =>
        isFound && (!arguments.Verify || found is { Holds: true }) && (!arguments.VerifyNext || next is { Fails: true })
            ? ExitCode.Held
            : ExitCode.Failed;

    private static Option<double> Rate() => new("--rate")
    {
        HelpName = "N",
        Required = true,
        Description = "Deliveries per second that have to be completed once all users are active.",
        CustomParser = result =>
        {
            var typed = result.Tokens.Count > 0 ? result.Tokens[0].Value : "";
            if (double.TryParse(typed.Replace("/s", "", StringComparison.Ordinal), CultureInfo.InvariantCulture, out var rate)
                && rate is >= SlowestRate and <= FastestRate)
            {
                return rate;
            }

            result.AddError($"--rate {typed}: expected deliveries per second from {SlowestRate} to {FastestRate}.");
            return 0;
        },
    };

    private static async Task<TuneSetup> SetupAsync(
        TuneArguments arguments, Goal goal, LabContext context, CancellationToken cancellationToken)
    {
        var run = arguments.Run;
        var options = new RunOptions(
            run.IsFull ? 1 : run.K, KnobSet.Empty, run.Environment, RunOptions.FolderOf(context.Time.GetUtcNow(), "tune"), run.Ports,
            run.Seed, Open: false);
        var stage = Stage.Load(arguments.Stage);
        var knobs = SharedOptions.Knobs(run.Set, run.Replicas);
        var budget = Budget.Of(arguments.Prices, arguments.Database, arguments.MaxCost);
        if (arguments.From is not { } from)
            return TuneSetup.Of(stage, goal, knobs, options, environment: null, budget);
        var calibrated = await CalibratedRun.OfAsync(
            from, stage: null, run.Environment, $"measured by {from}", context.Error.Text.WriteLine, cancellationToken);
        foreach (var warning in calibrated.Warnings)
            await context.Error.Text.WriteLineAsync($"{from}: {warning}");
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
        var options = plan.Options with { Folder = RunOptions.FolderOf(context.Time.GetUtcNow(), $"tune-{plan.Stage.Id}") };
        plan = plan with { Options = options };
        var run = await RunCommand.PlayAsync(new(options, [plan], []), arguments.Run, context, cancellationToken);
        return LabTrial.Of(run, tuned.Goal, options.Folder);
    }
}
