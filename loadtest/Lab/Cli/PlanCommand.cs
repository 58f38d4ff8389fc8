using System.CommandLine;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

internal sealed class PlanCommand : Verb
{
    private const string UsersKnob = "load.maxUsers",
        RateAndUsers = $"--rate sets the number of users: leave {UsersKnob} out.";

    private readonly RunSelection _of = new();
    private readonly SystemOption _system = new("--json");
    private readonly Option<double?> _rate = OptionOf.Number(
        "--rate",
        0,
        2000,
        "Requests per second once all users are active, instead of the profile's."
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
            _burst,
            _sweep,
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
            "plan 4 --sweep workflow.prefetchCount=200..3000,queue.lockDuration=30..300",
            "plan --system loadtest/systems/reference-2000.json --set workflow.replicas=50"
        );
    }

    protected override Task<ExitCode> RunAsync() => Task.FromResult(Run());

    private ExitCode Run()
    {
        if (_system.Read(Typed, _of) is { } system)
            return Plan(system);
        RefuseWhatIsIgnored();
        var run = _of.Of(Typed);
        if (Get(_rate) is not null && run.Options.Overrides[UsersKnob] is not null)
            throw new BadInputException(RateAndUsers);
        List<StagePlan> stages = [.. run.WholeAt(Clock.GetUtcNow()).Played.Select(AtRate)];
        return Get(_sweep) is { } sweep ? Play(sweep, stages) : Plan(stages);
    }

    private StagePlan AtRate(StagePlan plan) =>
        Get(_rate) is { } rate ? plan with { Profile = plan.Profile.AtRate(rate) } : plan;

    private void RefuseWhatIsIgnored()
    {
        if (Get(_sweep) is not null)
            Refuse("is not for a sweep: ask it of one setting.", _burst);
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

    private ExitCode Play(string typed, List<StagePlan> stages)
    {
        if (stages is not [var stage])
            throw new BadInputException("--sweep takes exactly one stage, for example: ./lab plan 4 --sweep KNOB=A..B");
        var ranges = SweepRange.ReadAll(typed);
        if (Get(_rate) is not null && ranges.Any(range => range.Knob.Name == UsersKnob))
            throw new BadInputException(RateAndUsers);
        var sweep = Sweep.Of(
            knobs =>
                AtRate(
                    StagePlan.Of(stage.Stage, stage.Options with { Overrides = stage.Options.Overrides.With(knobs) })
                ),
            ranges,
            Progress.Lines(Context.Error),
            Left
        );
        Out.Write(Get(_json) ? Json(sweep) : null, screen => SweepTable.Write(screen, sweep));
        return ExitCode.Held;
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
