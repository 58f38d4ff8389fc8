using System.CommandLine;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

internal sealed class PlanCommand : Verb
{
    private const string UsersKnob = "load.maxUsers";

    private readonly RunSelection _of = new();
    private readonly SystemOption _system = new("--json");
    private readonly Option<double?> _rate = OptionOf.Number(
        "--rate",
        0,
        2000,
        "Requests per second at full load, instead of the profile's."
    );
    private readonly Option<bool> _json = OptionOf.Json("Print the plans as JSON.");

    public PlanCommand()
        : base("plan", "Shows the bottleneck, the next bottleneck, and a safe prefetch count. Starts no process.")
    {
        Takes(_of.Stages, _system.Option, _of.Full, _of.K, _of.Set, _of.Replicas, _of.Environment, _rate, _json);
        HasHelp(
            output =>
                output.WriteLine(
                    "For an example, see docs/how-to/planning.md. For the formulas and their accuracy, see docs/explanation/model.md.\n"
                ),
            "plan",
            "plan 5 --full --rate 120",
            "plan 5 --replicas workflow=6 --set nodes.count=12",
            "plan --system loadtest/systems/reference-2000.json --set workflow.replicas=50"
        );
    }

    protected override Task<ExitCode> RunAsync() => Task.FromResult(Run());

    private ExitCode Run()
    {
        if (_system.Read(Typed, _of) is { } system)
            return Plan(system);
        var run = _of.Of(Typed);
        if (Get(_rate) is not null && run.Options.Overrides[UsersKnob] is not null)
            throw new BadInputException($"--rate sets the number of users and can't be combined with {UsersKnob}.");
        return Plan(run.ModelPlanAt(Clock.GetUtcNow()).Played.Select(AtRate));
    }

    private StagePlan AtRate(StagePlan plan) =>
        Get(_rate) is { } rate ? plan with { Profile = plan.Profile.AtRate(rate) } : plan;

    private ExitCode Plan(SystemFile system)
    {
        var plan = SystemFigures.Plan(system, Stopping);
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
            Stopping.ThrowIfCancellationRequested();
            plans.Add(PlannedStage.Of(stage, Stopping));
        }
        Out.Write(Get(_json) ? PlanJson.Of(plans) : null, screen => PlanTable.Write(screen, plans));
        return ExitCode.Held;
    }
}
