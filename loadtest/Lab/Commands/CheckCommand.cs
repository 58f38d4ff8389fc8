using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Lab.Workshop;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab check</c>: whether a run answers an exercise of docs/workshop.md, or an experiment one of docs/experiments.</summary>
internal static class CheckCommand
{
    public static Command Create()
    {
        var exercise = new Argument<string?>("exercise")
        {
            Arity = ArgumentArity.ZeroOrOne,
            Description = "Which one. [default: list them]",
        };
        var run = new Argument<string?>("run")
        {
            Arity = ArgumentArity.ZeroOrOne,
            HelpName = "PLAYED",
            Description = "A folder of artifacts/runs (of artifacts/experiments where the exercise begins with an experiment), "
                + "or a part of its name. [default: the newest]",
        };
        var answer = new Option<string?>("--answer")
        {
            HelpName = "TEXT",
            Description = "What you found, where the exercise asks for words.",
        };
        var json = Options.Json("Print what holds and what is missing as JSON.");
        var command = new Command(
            "check",
            "Checks a run, or an experiment, against an exercise, and says what is missing. Exit code 0 only if nothing is.")
        {
            exercise, run, answer, json,
        };
        command.WithExamples(
            "check", "check survive-stage-4", "check first-knob 2026-01-31T12-00-00-4 --answer workflow.maxConcurrentCalls=40",
            "check fewest-hosts --answer 20");
        command.SetAction(parsed =>
        {
            if (parsed.GetValue(exercise) is { } id)
                return Check(ExerciseTable.Find(id), parsed.GetValue(run), parsed.GetValue(answer), parsed.GetValue(json));
            List(parsed.GetValue(json));
            return 0;
        });
        return command;
    }

    private static void List(bool json)
    {
        if (json)
        {
            var all = ExerciseTable.All
                .Select(exercise => new { exercise.Id, exercise.Question, exercise.BeginWith, exercise.CheckWith });
            Console.WriteLine(JsonSerializer.Serialize(all, JsonSerializerOptions.Web));
            return;
        }

        var table = new Table().Border(TableBorder.Simple).AddColumns("exercise", "question", "begin with");
        foreach (var exercise in ExerciseTable.All)
            table.AddRow(exercise.Id, Markup.Escape(exercise.Question), Markup.Escape("./lab " + exercise.BeginWith));
        Terminal.Output.Write(table);
        var answered = ExerciseTable.All.Where(exercise => exercise.Answer is not null).Select(exercise => exercise.Id);
        Terminal.Output.WriteLine(
            "Then ./lab check EXERCISE says what is missing in the newest run, or experiment. "
            + $"With --answer: {string.Join(", ", answered)}.");
    }

    private static int Check(Exercise exercise, string? run, string? answer, bool json)
    {
        var folder = exercise.Find(run);
        var findings = exercise.Check(folder, answer);
        var passes = findings.All(finding => finding.Holds == true);
        if (json)
        {
            var result = new { Exercise = exercise.Id, Run = Path.GetFileName(folder), Passes = passes, Findings = findings };
            Console.WriteLine(JsonSerializer.Serialize(result, JsonSerializerOptions.Web));
        }
        else
        {
            Show(exercise, Path.GetFileName(folder), findings);
        }

        return passes ? 0 : 1;
    }

    private static void Show(Exercise exercise, string run, IReadOnlyList<Finding> findings)
    {
        Terminal.Output.WriteLine(exercise.Question);
        foreach (var finding in findings)
        {
            var holds = finding.Holds switch { true => "yes", false => "no ", null => " – " };
            Terminal.Output.WriteLine($"  {holds}  {finding.Claim}{(finding.Missing is { } missing ? ". " + missing : "")}");
        }

        Terminal.Output.WriteLine(findings.All(finding => finding.Holds == true) ? $"Solved with {run}." : $"Not yet, with {run}.");
    }
}
