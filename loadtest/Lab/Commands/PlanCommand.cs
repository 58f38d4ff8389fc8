using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Simulations;
using DroneDelivery.Simulation.Planning;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab plan</c>: what limits a stage, and how large the prefetch count may be, by formulas.</summary>
internal sealed class PlanCommand : Verb<RunArguments>
{
    private static readonly JsonSerializerOptions Indented = new(JsonSerializerDefaults.Web) { WriteIndented = true };

    private readonly Argument<string[]> _stages = new("stages")
    {
        Arity = ArgumentArity.ZeroOrMore,
        Description = "Ids of stages as `./lab stages` lists them, or all: every stage except the variants. [default: all]",
    };

    private readonly Option<bool> _full = SharedOptions.Full();
    private readonly Option<int> _k = SharedOptions.K();
    private readonly Option<string[]> _set = SharedOptions.Set();
    private readonly Option<string[]> _replicas = SharedOptions.Replicas();
    private readonly Option<string?> _environment = SharedOptions.Environment("the stage's");
    private readonly Option<bool> _json = SharedOptions.Json("Print the plans as JSON.");

    public PlanCommand()
        : base("plan", "Calculates what limits the rate, what would limit it next, and which prefetch count is safe.")
    {
        Takes(_stages, _full, _k, _set, _replicas, _environment, _json);
        HasHelp(
            output => output.WriteLine(
                "docs/model.md has the formulas and says how far off they can be. `./lab simulate` takes longer and is more accurate.\n"),
            "plan",
            "plan 4 --full",
            "plan 5 --replicas workflow=6 --set nodes.count=12");
    }

    protected override RunArguments Read(ParseResult parsed) => new()
    {
        Stages = parsed.GetValue(_stages) ?? [],
        IsFull = parsed.GetValue(_full),
        K = parsed.GetValue(_k),
        Set = parsed.GetValue(_set)!,
        Replicas = parsed.GetValue(_replicas)!,
        Environment = parsed.GetValue(_environment),
        Json = parsed.GetValue(_json),
    };

    public override Task<ExitCode> RunAsync(RunArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        var run = arguments.PlanAt(context.Time.GetUtcNow());
        List<(string Stage, Plan Plan)> plans = [.. run.Played.Concat(run.Halves)
            .OrderBy(stage => stage.Stage.Id, StringComparer.Ordinal)
            .Select(stage => (stage.Stage.Id, Planner.Of(SimulatedSetting.Of(stage))))];
        if (arguments.Json)
            context.Out.Text.WriteLine(JsonSerializer.Serialize(plans.ToDictionary(it => it.Stage, it => it.Plan), Indented));
        else
            Write(context.Out.Screen, plans);
        return Task.FromResult(ExitCode.Held);
    }

    private static void Write(IAnsiConsole output, IEnumerable<(string Stage, Plan Plan)> plans)
    {
        var table = new Table().Border(TableBorder.Rounded).AddColumns(
            "stage", "incoming", "rate", "binds", "next", "largest prefetch", "safe prefetch", "locks", "backlog", "drain");
        foreach (var (stage, plan) in plans)
        {
            var backlog = plan.LosesLocks ? "–" : NumberText.Of(Math.Round(plan.Backlog));
            table.AddRow(
                stage,
                NumberText.Of(plan.Incoming) + "/s",
                NumberText.Of(plan.Collapses ? 0 : plan.Rate) + "/s",
                TextOf(plan.Limits[0], plan.Incoming),
                NextOf(plan) is { } next ? TextOf(next, 0) : "",
                NumberText.Of(Math.Floor(plan.LargestPrefetch)),
                NumberText.Of((double)plan.SafePrefetch),
                plan.Collapses ? "lost: it collapses" : plan.LosesLocks ? "lost" : "kept",
                backlog,
                plan.LosesLocks ? "–" : NumberText.Of(plan.DrainSeconds) + "s");
        }

        output.Write(table);
        output.WriteLine("Prefetch, backlog and drain are those of the run at its length: without --full it is shortened.");
    }

    /// <summary>Equal nodes are one limit.</summary>
    private static Limit? NextOf(Plan plan) => plan.Limits.FirstOrDefault(limit => limit.Rate > plan.Limits[0].Rate * 1.001);

    private static string TextOf(Limit limit, double incoming) =>
        incoming > 0 && limit.Rate >= incoming ? $"the load (then {TextOf(limit, 0)})" : $"{limit.What}: {NumberText.Of(limit.Rate)}/s";
}
