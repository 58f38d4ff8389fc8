using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Experiments;
using DroneDelivery.Lab.Judge;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

/// <summary><c>lab experiment</c>: plays what other articles measured.</summary>
internal sealed class ExperimentCommand : Verb
{
    private readonly Argument<string[]> _names = new("name")
    {
        Arity = ArgumentArity.ZeroOrMore,
        Description = "An experiment, optionally followed by some of its variants; or all. [default: list the experiments]",
    };

    private readonly Option<string[]> _set = OptionOf.Texts("--set", "KNOB=VALUE", "Set a knob of the experiment. Can be repeated.");

    private readonly Option<bool> _full = OptionOf.Flag("--full", "Play the full published length instead of the quick one.");
    private readonly Option<bool> _json = OptionOf.Json("Print experiment.json instead of the tables.");
    private readonly Option<int> _ports = SharedOptions.PortOffset();

    public ExperimentCommand()
        : base("experiment", "Replays the measurements of other articles on this machine, and judges them.")
    {
        Takes(_names, _set, _full, _json, _ports);
        HasExamples(
            "experiment", "experiment disk-writes", "experiment disk-writes share --set share.largestWrite=32", "experiment all --full");
    }

    protected override async Task<ExitCode> RunAsync(ParseResult parsed, LabContext context, CancellationToken cancellationToken)
    {
        var (names, json) = (parsed.GetValue(_names) ?? [], parsed.GetValue(_json));
        if (names is [])
        {
            List(json, context.Out);
            return ExitCode.Held;
        }

        var plans = PlansOf(names, parsed);
        using var onlyOne = LabLock.Acquire("experiment");
        var folder = ExperimentsOnDisk.FolderOf(context.Time.GetUtcNow(), string.Join('+', names));
        var machine = await MachineRecord.ReadAsync(cancellationToken);
        var records = new List<ExperimentRecord>();
        foreach (var plan in plans)
        {
            var session = new ExperimentSession(plan, LineOf(parsed), new(folder, new(parsed.GetValue(_ports))), machine, context.Time);
            await PlayAsync(session, records, folder, context, cancellationToken);
        }

        context.Out.Write(
            json ? ExperimentRecord.ToJson(records) : null,
            screen => ExperimentText.Write(screen, records, Path.Combine(folder, ExperimentsOnDisk.Report)));
        return records.All(record => record.Outcome == Outcomes.Holds) ? ExitCode.Held : ExitCode.Failed;
    }

    /// <exception cref="BadInputException">No such experiment, variant or knob.</exception>
    private IReadOnlyList<ExperimentPlan> PlansOf(string[] names, ParseResult parsed)
    {
        var (set, isFull) = (parsed.GetValue(_set)!, parsed.GetValue(_full));
        if (names is not [Experiment.Everything])
        {
            var one = Experiment.Load(names[0]);
            return [new(one, one.VariantsOf(names[1..]), isFull, KnobValues.Parse(one, set))];
        }
        var unchanged = new Dictionary<string, double>();
        return set is []
            ? [.. Experiment.All().Select(it => new ExperimentPlan(it, it.Variants, isFull, unchanged) { LeavesOut = true })]
            : throw new BadInputException("--set turns a knob of one experiment. Name it instead of all.");
    }

    /// <summary>What was played is kept, also when the rest is broken off.</summary>
    private static async Task PlayAsync(
        ExperimentSession session, List<ExperimentRecord> records, string folder, LabContext context, CancellationToken cancellationToken)
    {
        var progress = Progress.Lines(context.Error);
        var reason = "It was stopped before its end.";
        try
        {
            await session.PlayAsync(progress, cancellationToken);
            reason = null;
        }
        catch (LabException exception)
        {
            reason = exception.Message;
            throw;
        }
        finally
        {
            progress.Report("");   // the line is free for what comes next
            records.Add(session.Record(reason));
            ExperimentsOnDisk.Write(folder, records);
            if (reason is not null)
                context.Error.Screen.WriteLine($"The experiment is incomplete. Its folder: {folder}");
        }
    }

    private static void List(bool json, Outlet output)
    {
        var all = Experiment.All()
            .Select(it => new { it.Name, it.Title, it.Question, Variants = it.Variants.Select(variant => variant.Name) });
        var table = Table.Of("", ["experiment", "question", "variants", "article"], Experiment.All(), it =>
        [
            it.Name, it.Question, string.Join(", ", it.Variants.Select(variant => variant.Name)),
            $"{it.Article.Author}: {it.Article.Title}",
        ]);
        output.Write(json ? JsonSerializer.Serialize(all, JsonSerializerOptions.Web) : null, screen => screen.WriteList(table));
    }
}
