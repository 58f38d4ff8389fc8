using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Lab.Experiments;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Runs;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab experiment</c>: plays what other articles measured.</summary>
internal static class ExperimentCommand
{
    public static Command Create()
    {
        var names = new Argument<string[]>("name")
        {
            Arity = ArgumentArity.ZeroOrMore,
            Description = "An experiment, then its variants (all of them where none is named); or all. Without a name: lists them.",
        };
        var set = new Option<string[]>("--set")
        {
            HelpName = "KNOB=VALUE",
            Description = "Turn a knob of the experiment; may be given again.",
            DefaultValueFactory = _ => [],
        };
        var full = new Option<bool>("--full") { Description = "Full length instead of quick." };
        var json = Options.Json("Print experiment.json instead of the tables.");
        var ports = Options.PortOffset();
        var command = new Command("experiment", "Plays what other articles measured, each on this one machine, and judges it.")
        {
            names, set, full, json, ports,
        };
        command.WithExamples(
            "experiment", "experiment disk-writes", "experiment disk-writes share --set share.largestWrite=32", "experiment all --full");
        command.SetAction((parsed, cancellationToken) =>
        {
            var arguments = new Arguments(
                parsed.GetValue(names) ?? [],
                parsed.GetValue(set)!,
                parsed.GetValue(full),
                parsed.GetValue(json),
                new Ports(parsed.GetValue(ports)));
            return RunAsync(arguments, TimeProvider.System, cancellationToken);
        });
        return command;
    }

    /// <summary>What was typed.</summary>
    private sealed record Arguments(IReadOnlyList<string> Names, IReadOnlyList<string> Set, bool IsFull, bool Json, Ports Ports)
    {
        public string Command =>
            string.Join(
                ' ',
                ["./lab experiment", .. Names, .. Set.Select(pair => $"--set {pair}"), .. IsFull ? ["--full"] : Array.Empty<string>()]);

        /// <exception cref="BadInputException">No such experiment, variant or knob.</exception>
        public IReadOnlyList<ExperimentPlan> Plans()
        {
            if (Names is not [Experiment.Everything])
                return [PlanOf(Experiment.Load(Names[0]))];
            return Set.Count == 0
                ? [.. Experiment.All().Select(PlanOfAll)]
                : throw new BadInputException("--set turns a knob of one experiment: name that one instead of all.");
        }

        private ExperimentPlan PlanOfAll(Experiment experiment) =>
            new(experiment, experiment.Variants, IsFull, new Dictionary<string, double>()) { LeavesOut = true };

        private ExperimentPlan PlanOf(Experiment experiment) =>
            new(experiment, experiment.VariantsOf([.. Names.Skip(1)]), IsFull, KnobValues.Parse(experiment, Set));
    }

    private static async Task<int> RunAsync(Arguments arguments, TimeProvider clock, CancellationToken cancellationToken)
    {
        if (arguments.Names.Count == 0)
        {
            List(arguments.Json);
            return 0;
        }

        var plans = arguments.Plans();
        using var onlyOne = LabLock.Acquire("experiment");
        var folder = ExperimentFolder.Of(clock.GetUtcNow(), string.Join('+', arguments.Names));
        var records = await PlayAsync(plans, arguments, folder, clock, cancellationToken);
        if (arguments.Json)
            Console.WriteLine(ExperimentRecord.ToJson(records));
        else
            ExperimentTables.Write(Terminal.Output, records, Path.Combine(folder, ExperimentFolder.Report));
        return records.All(record => record.Outcome == Outcomes.Holds) ? 0 : 1;
    }

    /// <summary>What was played is kept, also when the rest is broken off.</summary>
    private static async Task<IReadOnlyList<ExperimentRecord>> PlayAsync(
        IReadOnlyList<ExperimentPlan> plans, Arguments arguments, string folder, TimeProvider clock, CancellationToken cancellationToken)
    {
        var machine = await MachineRecord.ReadAsync(cancellationToken);
        var progress = Progress.Lines();
        var records = new List<ExperimentRecord>();
        foreach (var plan in plans)
        {
            var session = new ExperimentSession(plan, arguments.Command, new(folder, arguments.Ports), machine, clock);
            string? reason = "It was stopped before its end.";
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
                    Terminal.Error.WriteLine($"The experiment is incomplete. What there is of it: {folder}");
            }
        }

        return records;
    }

    private static void List(bool json)
    {
        if (json)
        {
            var all = Experiment.All()
                .Select(it => new { it.Name, it.Title, it.Question, Variants = it.Variants.Select(variant => variant.Name) });
            Console.WriteLine(JsonSerializer.Serialize(all, JsonSerializerOptions.Web));
            return;
        }

        var table = new Table().Border(TableBorder.Simple).AddColumns("experiment", "question", "variants", "article");
        foreach (var experiment in Experiment.All())
            table.AddRow(
                experiment.Name, Markup.Escape(experiment.Question), string.Join(", ", experiment.Variants.Select(variant => variant.Name)),
                Markup.Escape($"{experiment.Article.Author}: {experiment.Article.Title}"));
        Terminal.Output.Write(table);
    }
}
