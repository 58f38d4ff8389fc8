using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Lab.Workshop;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <param name="Exercise">Null: all are listed.</param>
/// <param name="Played">Folder of a run or an experiment, or a part of its name; null: the newest.</param>
/// <param name="Answer">What somebody found, in words.</param>
internal sealed record CheckArguments(string? Exercise = null, string? Played = null, string? Answer = null, bool Json = false);

/// <summary><c>lab check</c>: whether a run answers an exercise of docs/workshop.md, or an experiment one of docs/experiments.</summary>
internal sealed class CheckCommand : Verb<CheckArguments>
{
    private readonly Argument<string?> _exercise = new("exercise")
    {
        Arity = ArgumentArity.ZeroOrOne,
        Description = "Name of an exercise. [default: lists all exercises]",
    };

    private readonly Argument<string?> _run = new("run")
    {
        Arity = ArgumentArity.ZeroOrOne,
        HelpName = "PLAYED",
        Description = "A folder of artifacts/runs (of artifacts/experiments for an experiment, of artifacts/lab for `lab up`), "
            + "or a part of its name. [default: the newest]",
    };

    private readonly Option<string?> _answer = new("--answer")
    {
        HelpName = "TEXT",
        Description = "What you found, if the exercise asks for an answer.",
    };

    private readonly Option<bool> _json = SharedOptions.Json("Print what holds and what is missing as JSON.");

    public CheckCommand()
        : base(
            "check", "Checks whether a run or an experiment solves an exercise. Exit code 0 only if nothing is missing.")
    {
        Takes(_exercise, _run, _answer, _json);
        HasExamples(
            "check", "check survive-stage-4", "check first-knob 2026-01-31T12-00-00-4 --answer workflow.maxConcurrentCalls=40",
            "check kql-1 --answer 'requests | summarize count() by cloud_RoleName'", "check fewest-hosts --answer 20");
    }

    protected override CheckArguments Read(ParseResult parsed) =>
        new(parsed.GetValue(_exercise), parsed.GetValue(_run), parsed.GetValue(_answer), parsed.GetValue(_json));

    public override async Task<ExitCode> RunAsync(CheckArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        if (arguments.Exercise is { } id)
            return await CheckAsync(ExerciseTable.Find(id), arguments, context.Out, cancellationToken);
        if (arguments.Json)
            ListAsJson(context.Out.Text);
        else
            List(context.Out.Screen);
        return ExitCode.Held;
    }

    private static void ListAsJson(TextWriter output)
    {
        var all = ExerciseTable.All
            .Select(exercise => new { exercise.Id, exercise.Question, exercise.BeginWith, exercise.CheckWith });
        output.WriteLine(JsonSerializer.Serialize(all, JsonSerializerOptions.Web));
    }

    private static void List(IAnsiConsole output)
    {
        var table = new Table().Border(TableBorder.Simple).AddColumns("exercise", "question", "begin with");
        foreach (var exercise in ExerciseTable.All)
            table.AddRow(exercise.Id, Markup.Escape(exercise.Question), Markup.Escape("./lab " + exercise.BeginWith));
        output.Write(table);
        var answered = ExerciseTable.All.Where(exercise => exercise.Answer is not null).Select(exercise => exercise.Id);
        output.WriteLine(
            "Then `./lab check EXERCISE` says what is missing in the newest run or experiment. "
            + $"These need --answer: {string.Join(", ", answered)}.");
    }

    private static async Task<ExitCode> CheckAsync(
        Exercise exercise, CheckArguments arguments, Outlet output, CancellationToken cancellationToken)
    {
        var folder = exercise.Find(arguments.Played);
        var findings = await exercise.CheckAsync(folder, arguments.Answer, cancellationToken);
        var passes = findings.All(finding => finding.Holds == true);
        if (arguments.Json)
        {
            var result = new { Exercise = exercise.Id, Run = Path.GetFileName(folder), Passes = passes, Findings = findings };
            output.Text.WriteLine(JsonSerializer.Serialize(result, JsonSerializerOptions.Web));
        }
        else
        {
            Show(exercise, Path.GetFileName(folder), findings, output.Screen);
        }

        return passes ? ExitCode.Held : ExitCode.Failed;
    }

    private static void Show(Exercise exercise, string run, IReadOnlyList<Finding> findings, IAnsiConsole output)
    {
        output.WriteLine(exercise.Question);
        foreach (var finding in findings)
        {
            var holds = finding.Holds switch { true => "yes", false => "no ", null => " – " };
            output.WriteLine($"  {holds}  {finding.Claim}{(finding.Missing is { } missing ? ". " + missing : "")}");
        }

        output.WriteLine(findings.All(finding => finding.Holds == true) ? $"Solved with {run}." : $"Not yet, with {run}.");
    }
}
