using System.CommandLine;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

internal sealed class PlanCommand : Verb
{
    private readonly RunSelection _of = new();
    private readonly SystemOption _system = new("--json");
    private readonly Option<double?> _rate = OptionOf.Number(
        "--rate",
        0,
        PlanInputs.MostPerSecond,
        "Requests per second once all users are active, instead of the profile's."
    );
    private readonly Option<string[]> _latency = OptionOf.Texts(
        "--latency",
        "PROCESS=P50/P95",
        "Latency of broker (settlement), package, dronescheduler or delivery, in milliseconds. Can be repeated."
    );

    private readonly Option<string?> _from = OptionOf.Text(
        "--from",
        "RUN",
        "Latencies and CPU costs from what a run measured, as `calibrate` takes them; last is the newest run."
    );
    private readonly Option<string?> _cpu = OptionOf.Text(
        "--cpu",
        "SERVICE=MS,…",
        "CPU time of one request or message: workflow=60,ingestion=15."
    );
    private readonly Option<double?> _burst = OptionOf.Number(
        "--burst",
        0,
        1e9,
        "Also say when N messages that come in at once are gone."
    );
    private readonly Option<string?> _sweep = OptionOf.Text(
        "--sweep",
        "KNOB=A..B[:STEP][,…]",
        "Play one knob (a curve) or two (a heat map) through a range, and show where the cliff is."
    );

    private readonly Option<string?> _out = OptionOf.Text(
        "--out",
        "FILE",
        "Also write the drawing of the sweep to a file that ends in .html or .svg."
    );
    private readonly Option<bool> _open = OptionOf.Flag(
        "--open",
        "Serve a page with a slider for each knob until Ctrl-C, and open it; with --sweep open the drawing."
    );

    private readonly Option<int> _port = OptionOf.WholeNumber(
        "--port",
        5081,
        0,
        65535,
        "Port of that page; 0 takes a free one."
    );
    private readonly Option<bool> _json = OptionOf.Json("Print the plans, or the points of the sweep, as JSON.");

    public PlanCommand()
        : base(
            "plan",
            "Says what limits the rate, what would limit it next, and which prefetch is safe. It starts no process."
        )
    {
        Takes(
            _of.Stages,
            _system.Option,
            _of.Full,
            _of.K,
            _of.Set,
            _of.Replicas,
            _of.Environment,
            _rate,
            _latency,
            _from,
            _cpu,
            _burst,
            _sweep,
            _out,
            _open,
            _port,
            _of.Ports,
            _json
        );
        HasHelp(
            output =>
                output.WriteLine(
                    "docs/how-to/planning.md has an example. docs/explanation/model.md has the formulas and says how far off they can be.\n"
                ),
            "plan",
            "plan 5 --full --rate 120",
            "plan 5 --replicas workflow=6 --set nodes.count=12 --burst 5000",
            "plan 4 --sweep workflow.prefetchCount=0..3000:100",
            "plan 4 --sweep workflow.prefetchCount=200..3000,queue.lockDuration=30..300 --open",
            "plan 4 --open",
            "plan --system loadtest/systems/reference-2000.json --set workflow.replicas=50"
        );
    }

    protected override async Task<ExitCode> RunAsync()
    {
        if (_system.Read(Typed, _of) is { } system)
            return Plan(system);
        RefuseWhatIsIgnored();
        var (run, inputs) = (_of.Of(Typed), Inputs());
        if (inputs.Rate is not null && run.Options.Overrides[PlanInputs.UsersKnob] is not null)
            throw new BadInputException(PlanInputs.RateAndUsers);
        if (Get(_from) is { } measured)
            inputs = await MeasuredByAsync(measured, inputs);
        List<StagePlan> stages = [.. run.WholeAt(Clock.GetUtcNow()).Played.Select(inputs.ApplyTo)];
        if (Get(_sweep) is { } sweep)
            return Play(sweep, stages, inputs);
        return OpensPage ? await OpenAsync(run, inputs) : Plan(stages);
    }

    /// <summary>The page, and not a drawing.</summary>
    private bool OpensPage => Get(_open) && Get(_sweep) is null;

    private PlanInputs Inputs() =>
        new()
        {
            Rate = Get(_rate),
            Latency = PlanInputs.LastOfEach(Get(_latency).Select(PlanInputs.ReadLatency)),
            Cpu = PlanInputs.LastOfEach(Get(_cpu) is { } cpu ? PlanInputs.ReadCpu(cpu) : []),
        };

    private void RefuseWhatIsIgnored()
    {
        var sweeps = Get(_sweep) is not null;
        if (sweeps)
            Refuse("is not for a sweep: ask it of one setting.", _burst);
        else
            Refuse("is for a sweep: add --sweep KNOB=A..B.", _out);
        if (OpensPage)
            Refuse("is not for the page, which has sliders. Leave --open out.", _burst, _json);
        else
            Refuse($"is for the page: add --open{(sweeps ? ", and leave --sweep out" : "")}.", _port, _of.Ports);
    }

    private ExitCode Plan(SystemFile system)
    {
        var plan = SystemFigures.Plan(system, Left);
        Out.Write(Get(_json) ? PlanJson.Of(system.Name, plan) : null, screen =>
            PlanTable.Write(screen, system.Name, plan)
        );
        return ExitCode.Held;
    }

    private ExitCode Plan(IEnumerable<StagePlan> stages)
    {
        var plans = new List<PlannedStage>();
        foreach (var stage in stages)
        {
            Left.ThrowIfCancellationRequested();
            plans.Add(PlannedStage.Of(stage, Get(_burst), Left));
        }
        Out.Write(Get(_json) ? PlanJson.Of(plans) : null, screen => PlanTable.Write(screen, plans));
        return ExitCode.Held;
    }

    /// <summary>What was typed by hand counts more than a run.</summary>
    private async Task<PlanInputs> MeasuredByAsync(string run, PlanInputs typed)
    {
        var measured = await CalibratedRun.MeasuredByAsync(run, otherwise: null, Error, Left);
        var (latency, nodes) = (measured.Environment.Latency, measured.Environment.Nodes);
        return typed with
        {
            Latency = PlanInputs.LastOfEach(
                measured
                    .Latencies.Keys.Select(process => KeyValuePair.Create(process, latency[process]))
                    .Concat(typed.Latency)
            ),
            Cpu = nodes is null
                ? typed.Cpu
                : PlanInputs.LastOfEach(
                    measured
                        .Costs.Keys.Select(service => KeyValuePair.Create(service, nodes.CpuMilliseconds[service]))
                        .Concat(typed.Cpu)
                ),
        };
    }

    private async Task<ExitCode> OpenAsync(RunArguments run, PlanInputs inputs)
    {
        var (options, stages) = (run.Options, run.Stages);
        if (stages.Count > 1)
            throw new BadInputException("--open takes exactly one stage, for example: ./lab plan 4 --open");
        if (inputs is not { Rate: null, Latency.Count: 0, Cpu.Count: 0 })
        {
            throw new BadInputException(
                "The page takes knobs only. Write latencies and CPU costs into a file of loadtest/environments."
            );
        }

        if (options.Environment is not null)
            throw new BadInputException("--environment can't be combined with --open.");
        await using var server = await WhatIfServer.StartAsync(Get(_port), options.K, options.Ports, Left);
        string[] query =
        [
            $"stage={stages.FirstOrDefault(stage => stage != RunPlan.Everything, "1")}",
            .. options.Overrides.All.Select(set => $"{set.Knob.Name}={Uri.EscapeDataString(set.Knob.Show(set.Value))}"),
        ];
        var address = $"{server.Address}?{string.Join('&', query)}";
        await Out.Text.WriteLineAsync($"What if: {address}   Ctrl-C ends it.");
        Browser.Open(address, Error);
        return await StayAsync();
    }

    private ExitCode Play(string typed, List<StagePlan> stages, PlanInputs inputs)
    {
        if (stages is not [var stage])
            throw new BadInputException("--sweep takes exactly one stage, for example: ./lab plan 4 --sweep KNOB=A..B");
        if (Get(_out) is { } file && Path.GetExtension(file) is not (".html" or ".svg"))
            throw new BadInputException($"--out {file}: expected a name that ends in .html or .svg.");
        var ranges = SweepRange.ReadAll(typed);
        if (inputs.Rate is not null && ranges.Any(range => range.Knob.Name == PlanInputs.UsersKnob))
            throw new BadInputException(PlanInputs.RateAndUsers);
        var sweep = Sweep.Of(
            knobs =>
                inputs.ApplyTo(
                    StagePlan.Of(stage.Stage, stage.Options with { Overrides = stage.Options.Overrides.With(knobs) })
                ),
            ranges,
            Progress.Lines(Context.Error),
            Left
        );
        Out.Write(Get(_json) ? Json(sweep) : null, screen => SweepTable.Write(screen, sweep));
        Keep(sweep);
        return ExitCode.Held;
    }

    /// <summary>Where it is only opened, in a folder of its own.</summary>
    private void Keep(Sweep sweep)
    {
        if (Get(_out) is null && !Get(_open))
            return;
        var file = Path.GetFullPath(
            Get(_out)
                ?? Path.Combine(Repository.Artifacts, "plans", $"{Clock.GetLocalNow():yyyy-MM-ddTHH-mm-ss}-sweep.html")
        );
        Disk.Write(
            file,
            (Path.GetExtension(file) == ".svg" ? SweepDrawing.Svg(sweep) : SweepDrawing.Page(sweep)).Markup
        );
        Error.WriteLine(file);
        if (Get(_open))
            Browser.Open(file, Error);
    }

    private static string Json(Sweep sweep) =>
        PrintedJson.Of(
            new
            {
                Stage = sweep.Stage.Stage.Id,
                sweep.Stage.K,
                Knobs = sweep.Ranges.Select(range => range.Knob.Name),
                Cliffs = sweep.Says,
                sweep.Points,
            }
        );
}
