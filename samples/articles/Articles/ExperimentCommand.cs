using System.CommandLine;
using DroneDelivery.Lab;
using DroneDelivery.Lab.Cli;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;
using Progress = DroneDelivery.Lab.Progress;

namespace DroneDelivery.Articles;

internal sealed class ExperimentCommand : Verb
{
    private readonly Argument<string[]> _names = OptionOf.Words(
        "name",
        "An experiment, optionally followed by some of its variants; or all. [default: list the experiments]"
    );

    private readonly Option<string[]> _set = OptionOf.Texts(
        "--set",
        "KNOB=VALUE",
        "Set a knob of the experiment; can be repeated."
    );

    private readonly Option<bool> _full = OptionOf.Flag("--full", "Run at full scale instead of a reduced time scale.");
    private readonly Option<bool> _json = OptionOf.Json("Print run.json instead of the tables.");
    private readonly Option<int> _ports = OptionOf.WholeNumber(
        "--port-offset",
        0,
        0,
        Ports.MaxOffset,
        "Move all ports by N (broker 5672, services 5100 to 5719, Redis 6390, Azurite 10002)."
    );

    public ExperimentCommand()
        : base("experiment", "Reproduces the measurements of other articles on this machine, and checks the results.")
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
        using var onlyOne = await LabLock.AcquireAsync("experiment");
        var now = Clock.GetUtcNow();
        var folder = FoldersByTime.Of(Path.Combine(Repository.Artifacts, "experiments"), now, string.Join('+', names));
        var run = ExperimentRun.Begin(Get(_full), plans[0].Set, now, Line, await MachineRecord.ReadAsync(Stopping));
        foreach (var plan in plans)
            run = await PlayAsync(new(plan, folder, new(Get(_ports))), run, folder);
        var report = Path.Combine(folder, RunFolder.Report);
        Out.Write(json ? run.ToJson() : null, screen => ExperimentTables.Write(screen, run, report));
        return Outcomes.ExitCodeOf(run.Run.Outcome);
    }

    private IReadOnlyList<ExperimentPlan> PlansOf(string[] names)
    {
        var (set, isFull) = (Get(_set), Get(_full));
        if (names is not [Experiment.Everything])
        {
            var one = Experiment.Load(names[0]);
            return [new(one, one.VariantsOf(names[1..]), isFull, one.Parse(set))];
        }
        if (set is not [])
            throw new BadInputException("--set requires a single experiment instead of all.");
        return [.. Experiment.All().Select(All)];

        ExperimentPlan All(Experiment it) =>
            new(it, it.Variants, isFull, new Dictionary<string, double>()) { LeavesOut = true };
    }

    /// <param name="before">The previous experiments of the run.</param>
    private async Task<ExperimentRun> PlayAsync(ExperimentSession session, ExperimentRun before, string folder)
    {
        var progress = Progress.Lines(Context.Error);
        var run = before;
        await RunCommand.KeepAsync(folder, () => session.PlayAsync(progress, Stopping), Keep, Context);
        return run;

        Task<RunRecord> Keep(string? reason)
        {
            progress.Report(""); // clears the progress line for the next experiment
            run = before.With(session.Record(isWhole: reason is null), reason);
            RunFolder.WritePage(folder, RunFolder.FileName, run.ToJson());
            RunFolder.WritePage(folder, RunFolder.Report, ExperimentReport.Render(run));
            return Task.FromResult(run.Run);
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
