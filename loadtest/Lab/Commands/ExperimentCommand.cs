using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Lab.Experiments;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Runs;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

internal sealed record ExperimentArguments
{
    /// <summary>An experiment, then its variants; or all. None: all are listed.</summary>
    public IReadOnlyList<string> Names { get; init; } = [];

    /// <summary>Knobs as they were typed.</summary>
    public IReadOnlyList<string> Set { get; init; } = [];

    public bool IsFull { get; init; }

    public bool Json { get; init; }

    public Ports Ports { get; init; } = new(0);

    /// <summary>Plays the same again.</summary>
    public string Command => string.Join(
        ' ', ["./lab experiment", .. Names, .. Set.Select(pair => $"--set {pair}"), .. IsFull ? ["--full"] : Array.Empty<string>()]);

    /// <exception cref="BadInputException">No such experiment, variant or knob.</exception>
    public IReadOnlyList<ExperimentPlan> Plans()
    {
        if (Names is not [Experiment.Everything])
            return [PlanOf(Experiment.Load(Names[0]))];
        return Set.Count == 0
            ? [.. Experiment.All().Select(PlanOfAll)]
            : throw new BadInputException("--set turns a knob of one experiment. Name it instead of all.");
    }

    private ExperimentPlan PlanOfAll(Experiment experiment) =>
        new(experiment, experiment.Variants, IsFull, new Dictionary<string, double>()) { LeavesOut = true };

    private ExperimentPlan PlanOf(Experiment experiment) =>
        new(experiment, experiment.VariantsOf([.. Names.Skip(1)]), IsFull, KnobValues.Parse(experiment, Set));
}

/// <summary><c>lab experiment</c>: plays what other articles measured.</summary>
internal sealed class ExperimentCommand : Verb<ExperimentArguments>
{
    private readonly Argument<string[]> _names = new("name")
    {
        Arity = ArgumentArity.ZeroOrMore,
        Description = "An experiment, optionally followed by some of its variants; or all. [default: list the experiments]",
    };

    private readonly Option<string[]> _set = new("--set")
    {
        HelpName = "KNOB=VALUE",
        Description = "Set a knob of the experiment. Can be repeated.",
        DefaultValueFactory = _ => [],
    };

    private readonly Option<bool> _full = new("--full") { Description = "Play the full published length instead of the quick one." };
    private readonly Option<bool> _json = SharedOptions.Json("Print experiment.json instead of the tables.");
    private readonly Option<int> _ports = SharedOptions.PortOffset();

    public ExperimentCommand()
        : base("experiment", "Replays the measurements of other articles on this machine, and judges them.")
    {
        Takes(_names, _set, _full, _json, _ports);
        HasExamples(
            "experiment", "experiment disk-writes", "experiment disk-writes share --set share.largestWrite=32", "experiment all --full");
    }

    protected override ExperimentArguments Read(ParseResult parsed) => new()
    {
        Names = parsed.GetValue(_names) ?? [],
        Set = parsed.GetValue(_set)!,
        IsFull = parsed.GetValue(_full),
        Json = parsed.GetValue(_json),
        Ports = new(parsed.GetValue(_ports)),
    };

    public override async Task<ExitCode> RunAsync(ExperimentArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        if (arguments.Names.Count == 0)
        {
            List(arguments.Json, context.Out);
            return ExitCode.Held;
        }

        var plans = arguments.Plans();
        using var onlyOne = LabLock.Acquire("experiment");
        var folder = ExperimentFolder.Of(context.Time.GetUtcNow(), string.Join('+', arguments.Names));
        var records = await PlayAsync(plans, arguments, folder, context, cancellationToken);
        if (arguments.Json)
            await context.Out.Text.WriteLineAsync(ExperimentRecord.ToJson(records));
        else
            ExperimentTables.Write(context.Out.Screen, records, Path.Combine(folder, ExperimentFolder.Report));
        return records.All(record => record.Outcome == Outcomes.Holds) ? ExitCode.Held : ExitCode.Failed;
    }

    private static async Task<IReadOnlyList<ExperimentRecord>> PlayAsync(
        IReadOnlyList<ExperimentPlan> plans,
        ExperimentArguments arguments,
        string folder,
        LabContext context,
        CancellationToken cancellationToken)
    {
        var machine = await MachineRecord.ReadAsync(cancellationToken);
        var records = new List<ExperimentRecord>();
        foreach (var plan in plans)
        {
            var session = new ExperimentSession(plan, arguments.Command, new(folder, arguments.Ports), machine, context.Time);
            await PlayAsync(session, records, folder, context, cancellationToken);
        }

        return records;
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
            ExperimentFolder.Write(folder, records);
            if (reason is not null)
                context.Error.Screen.WriteLine($"The experiment is incomplete. Its folder: {folder}");
        }
    }

    private static void List(bool json, Outlet output)
    {
        if (json)
        {
            var all = Experiment.All()
                .Select(it => new { it.Name, it.Title, it.Question, Variants = it.Variants.Select(variant => variant.Name) });
            output.Text.WriteLine(JsonSerializer.Serialize(all, JsonSerializerOptions.Web));
            return;
        }

        var table = new Table().Border(TableBorder.Simple).AddColumns("experiment", "question", "variants", "article");
        foreach (var experiment in Experiment.All())
        {
            table.AddRow(
                experiment.Name, Markup.Escape(experiment.Question), string.Join(", ", experiment.Variants.Select(variant => variant.Name)),
                Markup.Escape($"{experiment.Article.Author}: {experiment.Article.Title}"));
        }
        output.Screen.Write(table);
    }
}
