using System.CommandLine;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Experiments;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Stages;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

internal sealed class ExperimentCommand : Verb
{
    private readonly Argument<string[]> _names = OptionOf.Words(
        "name",
        "An experiment, optionally followed by some of its variants; or all. [default: list the experiments]"
    );

    private readonly Option<string[]> _set = OptionOf.Texts(
        "--set",
        "KNOB=VALUE",
        "Set a knob of the experiment. Can be repeated."
    );

    private readonly Option<bool> _full = OptionOf.Flag(
        "--full",
        "Play the full published length instead of the quick one."
    );
    private readonly Option<bool> _json = OptionOf.Json("Print run.json instead of the tables.");
    private readonly Option<int> _ports = SharedOptions.PortOffset();

    public ExperimentCommand()
        : base("experiment", "Replays the measurements of other articles on this machine, and judges them.")
    {
        Takes(_names, _set, _full, _json, _ports);
        HasExamples(
            "experiment",
            "experiment disk-writes",
            "experiment disk-writes share --set share.largestWrite=32",
            "experiment all --full"
        );
    }

    protected override async Task<ExitCode> RunAsync()
    {
        var (names, json) = (Get(_names) ?? [], Get(_json));
        if (names is [])
        {
            List(json);
            return ExitCode.Held;
        }

        var plans = PlansOf(names);
        using var onlyOne = LabLock.Acquire("experiment");
        var now = Clock.GetUtcNow();
        var folder = FoldersByTime.Of(RunsOnDisk.Experiments, now, string.Join('+', names));
        var run = RunRecord.OfExperiments(Get(_full), plans[0].Set, now, Line, await MachineRecord.ReadAsync(Left));
        foreach (var plan in plans)
            run = await PlayAsync(new(plan, new(folder, new(Get(_ports)))), run, folder);
        Out.Write(json ? run.ToJson() : null, screen => VerdictTable.Write(screen, run, folder));
        return Outcomes.ExitCodeOf([run]);
    }

    private IReadOnlyList<ExperimentPlan> PlansOf(string[] names)
    {
        var (set, isFull) = (Get(_set), Get(_full));
        if (names is not [Experiment.Everything])
        {
            var one = Experiment.Load(names[0]);
            return [new(one, one.VariantsOf(names[1..]), isFull, KnobValues.Parse(one, set))];
        }
        var unchanged = new Dictionary<string, double>();
        return set is []
            ?
            [
                .. Experiment
                    .All()
                    .Select(it => new ExperimentPlan(it, it.Variants, isFull, unchanged) { LeavesOut = true }),
            ]
            : throw new BadInputException("--set turns a knob of one experiment. Name it instead of all.");
    }

    /// <param name="before">The run until now.</param>
    private Task<RunRecord> PlayAsync(ExperimentSession session, RunRecord before, string folder)
    {
        var progress = Progress.Lines(Context.Error);
        return RunCommand.KeepAsync(folder, () => session.PlayAsync(progress, Left), Keep, Context);

        Task<RunRecord> Keep(string? reason)
        {
            progress.Report(""); // the line is free for what comes next
            var run = before.With(session.Record(isWhole: reason is null), reason);
            RunReport.Keep(folder, run, telemetry: null);
            return Task.FromResult(run);
        }
    }

    private void List(bool json)
    {
        var all = Experiment
            .All()
            .Select(it => new
            {
                it.Name,
                it.Title,
                it.Question,
                Variants = it.Variants.Select(variant => variant.Name),
            });
        var table = Table.Of("", ["experiment", "question", "variants", "article"], Experiment.All(), it =>
            [
                it.Name,
                it.Question,
                string.Join(", ", it.Variants.Select(variant => variant.Name)),
                $"{it.Article.Author}: {it.Article.Title}",
            ]
        );
        Out.Write(json ? PrintedJson.Of(all) : null, screen => screen.WriteList(table));
    }
}
