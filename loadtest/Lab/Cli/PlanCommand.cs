using System.CommandLine;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <param name="Run">Its ports are those of a run that the page starts.</param>
/// <param name="Sweep">Knobs and ranges; null: no sweep.</param>
/// <param name="Out">Where the drawing of a sweep goes; null: nowhere, or into a folder of its own if it is opened.</param>
internal sealed record PlanArguments(
    RunArguments Run, PlanInputs Inputs, PlanQuestions Questions, string? Sweep, string? Out, bool Open, int Port)
{
    /// <summary>The page, and not a drawing.</summary>
    public bool OpensPage => Open && Sweep is null;
}

/// <summary><c>lab plan</c>: what limits a setting, how large its prefetch may be and what it costs.</summary>
internal sealed class PlanCommand : Verb
{
    private static readonly string[]
        NotForSweep = ["--burst"],
        NotForPage = [.. NotForSweep, "--json", "--retention", "--database-rate", "--database"];

    private readonly RunSelection _of = new();
    private readonly SystemOption _system = new("--json");
    private readonly Option<double?> _rate = OptionOf.Number(
        "--rate", 0, PlanInputs.MostPerSecond, "Requests per second once all users are active, instead of the profile's.");
    private readonly Option<string[]> _latency = OptionOf.Texts(
        "--latency", "PROCESS=P50/P95",
        "Latency of broker (settlement), package, dronescheduler or delivery, in milliseconds. Can be repeated.");

    private readonly Option<string?> _from = OptionOf.Text(
        "--from", "RUN", "Latencies and CPU costs from what a run measured, as `calibrate` takes them; last is the newest run.");
    private readonly Option<string?> _cpu = OptionOf.Text(
        "--cpu", "SERVICE=MS,…", "CPU time of one request or message: workflow=60,ingestion=15.");
    private readonly Option<double?> _burst = OptionOf.Number("--burst", 0, 1e9, "Also say when N messages that come in at once are gone.");
    private readonly Option<string?> _retention = OptionOf.Text(
        "--retention", "TIME", "Also say what memory Redis needs to keep deliveries for so long: 90m, 12h, 30d.");

    private readonly Option<double?> _databaseRate = OptionOf.Number(
        "--database-rate", 0, 1e9, "Rows per second that your database can write; a delivery writes two. It then counts as a limit.");

    private readonly Option<string> _prices = SharedOptions.Prices();
    private readonly Option<string?> _database = SharedOptions.Database();
    private readonly Option<string?> _sweep = OptionOf.Text(
        "--sweep", "KNOB=A..B[:STEP][,…]", "Play one knob (a curve) or two (a heat map) through a range, and show where the cliff is.");

    private readonly Option<string?> _out = OptionOf.Text(
        "--out", "FILE", "Also write the drawing of the sweep to a file that ends in .html or .svg.");
    private readonly Option<bool> _open = OptionOf.Flag(
        "--open", "Serve a page with a slider for each knob until Ctrl-C, and open it; with --sweep open the drawing.");

    private readonly Option<int> _port = OptionOf.WholeNumber("--port", 5081, 0, 65535, "Port of that page; 0 takes a free one.");
    private readonly Option<bool> _json = OptionOf.Json("Print the plans, or the points of the sweep, as JSON.");

    public PlanCommand()
        : base(
            "plan",
            "Says what limits the rate, what would limit it next, which prefetch is safe, and what it costs. It starts no process.")
    {
        Takes(
            _of.Stages, _system.Option, _of.Full, _of.K, _of.Set, _of.Replicas, _of.Environment,
            _rate, _latency, _from, _cpu, _burst,
            _retention, _databaseRate, _prices, _database, _sweep, _out, _open, _port, _of.Ports, _json);
        HasHelp(
            output => output.WriteLine(
                "docs/how-to/planning.md has an example. docs/explanation/model.md has the formulas and says how far off they can be.\n"),
            "plan",
            "plan 5 --full --rate 120",
            "plan 5 --replicas workflow=6 --set nodes.count=12 --burst 5000",
            "plan 4 --sweep workflow.prefetchCount=0..3000:100",
            "plan 4 --sweep workflow.prefetchCount=200..3000,queue.lockDuration=30..300 --open",
            "plan 4 --open",
            "plan --system loadtest/systems/reference-2000.json --set workflow.replicas=50");
    }

    private PlanArguments Read(ParseResult parsed) => new(
        _of.Of(parsed) with { Json = parsed.GetValue(_json) },
        new()
        {
            Rate = parsed.GetValue(_rate),
            Latency = PlanInputs.LastOfEach(parsed.GetValue(_latency)!.Select(PlanInputs.ReadLatency)),
            Cpu = PlanInputs.LastOfEach(parsed.GetValue(_cpu) is { } cpu ? PlanInputs.ReadCpu(cpu) : []),
        },
        new()
        {
            Burst = parsed.GetValue(_burst),
            RetentionSeconds = parsed.GetValue(_retention) is { } retention ? Duration(retention) : null,
            DatabaseRate = parsed.GetValue(_databaseRate),
            Database = parsed.GetValue(_database),
            Prices = PriceFile.Load(parsed.GetValue(_prices)!),
        },
        parsed.GetValue(_sweep), parsed.GetValue(_out), parsed.GetValue(_open), parsed.GetValue(_port));

    protected override async Task<ExitCode> RunAsync(ParseResult parsed, LabContext context, CancellationToken cancellationToken)
    {
        if (_system.Read(parsed, _of) is { } system)
            return Plan(system, parsed.GetValue(_json), context, cancellationToken);
        var arguments = Read(parsed);
        RefuseWhatIsIgnored(arguments, SystemOption.Typed(parsed));
        if (parsed.GetValue(_from) is { } run)
            arguments = arguments with { Inputs = await InputsAsync(run, arguments.Inputs, context, cancellationToken) };
        List<StagePlan> stages = [.. arguments.Run.WholeAt(context.Time.GetUtcNow()).Played.Select(arguments.Inputs.ApplyTo)];
        if (arguments.Sweep is { } sweep)
            return SweepSession.Play(sweep, stages, arguments, context, cancellationToken);
        if (arguments.OpensPage)
            return await OpenAsync(arguments, context, cancellationToken);
        return Plan(stages, arguments, context, cancellationToken);
    }

    /// <exception cref="BadInputException">An option was typed that would do nothing, or one that another one overrides.</exception>
    private static void RefuseWhatIsIgnored(PlanArguments arguments, IReadOnlyList<string> typed)
    {
        if (arguments.Out is not null && arguments.Sweep is null)
            throw new BadInputException("--out is for a sweep: add --sweep KNOB=A..B.");
        if (typed.FirstOrDefault(name => name is "--port" or "--port-offset") is { } port && !arguments.OpensPage)
            throw new BadInputException($"{port} is for the page: add --open{(arguments.Sweep is null ? "" : ", and leave --sweep out")}.");
        if (arguments.OpensPage && typed.FirstOrDefault(NotForPage.Contains) is { } other)
            throw new BadInputException($"{other} is not for the page, which has sliders. Leave --open out.");
        if (arguments.Sweep is not null && typed.FirstOrDefault(NotForSweep.Contains) is { } question)
            throw new BadInputException($"{question} is not for a sweep: ask it of one setting.");
        if (arguments.Inputs.Rate is not null && arguments.Run.Options.Overrides[PlanInputs.UsersKnob] is not null)
            throw new BadInputException(PlanInputs.RateAndUsers);
    }

    private static ExitCode Plan(SystemFile system, bool json, LabContext context, CancellationToken cancellationToken)
    {
        var plan = SystemFigures.Plan(system, cancellationToken);
        context.Out.Write(json ? PlanJson.Of(system.Name, plan) : null, screen => PlanTable.Write(screen, system.Name, plan));
        return ExitCode.Held;
    }

    private static ExitCode Plan(
        IReadOnlyList<StagePlan> stages, PlanArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        var plans = new List<PlannedStage>();
        foreach (var stage in stages)
        {
            cancellationToken.ThrowIfCancellationRequested();
            plans.Add(PlannedStage.Of(stage, arguments.Questions, cancellationToken));
        }

        context.Out.Write(arguments.Run.Json ? PlanJson.Of(plans) : null, screen => PlanTable.Write(screen, plans));
        return ExitCode.Held;
    }

    /// <summary>What was typed by hand counts more than a run.</summary>
    private static async Task<PlanInputs> InputsAsync(
        string run, PlanInputs typed, LabContext context, CancellationToken cancellationToken)
    {
        var measured = await CalibratedRun.MeasuredByAsync(run, otherwise: null, context.Error.Text, cancellationToken);
        var (latency, nodes) = (measured.Environment.Latency, measured.Environment.Nodes);
        return typed with
        {
            Latency = PlanInputs.LastOfEach(
                measured.Latencies.Keys.Select(process => KeyValuePair.Create(process, latency[process])).Concat(typed.Latency)),
            Cpu = nodes is null
                ? typed.Cpu
                : PlanInputs.LastOfEach(
                    measured.Costs.Keys.Select(service => KeyValuePair.Create(service, nodes.CpuMilliseconds[service])).Concat(typed.Cpu)),
        };
    }

    /// <summary>Serves the page until Ctrl-C.</summary>
    private static async Task<ExitCode> OpenAsync(PlanArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        if (arguments.Run.Stages.Count > 1)
            throw new BadInputException("The page begins with one stage: ./lab plan 4 --open.");
        if (arguments.Inputs is not { Rate: null, Latency.Count: 0, Cpu.Count: 0 })
            throw new BadInputException("The page takes knobs only. Write latencies and CPU costs into a file of loadtest/environments.");
        var (options, stages) = (arguments.Run.Options, arguments.Run.Stages);
        if (options.Environment is not null)
            throw new BadInputException("The page takes the environment of each stage: leave --environment out.");
        await using var server = await WhatIfServer.StartAsync(
            arguments.Port, options.K, arguments.Questions.Prices.Name, options.Ports, cancellationToken);
        string[] query =
        [
            $"stage={stages.FirstOrDefault(stage => stage != RunPlan.Everything, "1")}",
            .. options.Overrides.All.Select(set => $"{set.Knob.Name}={Uri.EscapeDataString(set.Knob.Show(set.Value))}"),
        ];
        var address = $"{server.Address}?{string.Join('&', query)}";
        await context.Out.Text.WriteLineAsync($"What if: {address}   Ctrl-C ends it.");
        Browser.TryOpen(address, context.Error.Text);
        await Task.Delay(Timeout.Infinite, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return ExitCode.Held;
    }

    private static double Duration(string text)
    {
        var (number, unit) = text.EndsWith('d') ? (text[..^1] + "h", 24) : (text, 1);
        // Any knob of this unit reads it.
        var value = KnobText.Read(KnobTable.Find("redis.keyTimeToLive"), number) is { } read ? read.Number * unit : 0;
        return value is > 0 and <= 3_650 * 86_400.0
            ? value
            : throw new BadInputException($"--retention {text}: expected a time above 0, such as 90m, 12h or 30d, at most 3650d.");
    }
}
