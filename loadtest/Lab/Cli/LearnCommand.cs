using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Lab.Workshop;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

/// <summary><c>lab learn</c>: the exercises of docs/tutorials. It asks, judges what was played, and keeps the learner's place.</summary>
internal sealed class LearnCommand : Verb
{
    private readonly Argument<string?> _exercise = OptionOf.Optional(
        "exercise", "Judge one try at this exercise, and end. [default: go on from exercise to exercise until Ctrl-C]");

    private readonly Argument<string?> _run = new("run")
    {
        Arity = ArgumentArity.ZeroOrOne,
        HelpName = "PLAYED",
        Description = "A folder of artifacts/runs (of artifacts/experiments for an experiment, of artifacts/lab for `lab up`), "
            + "or a part of its name. [default: the newest]",
    };

    private readonly Option<string?> _answer = OptionOf.Text("--answer", "TEXT", "What you found, if the exercise asks for an answer.");

    private readonly Option<bool> _hint = OptionOf.Flag("--hint", "Give the next hint for the exercise.");
    private readonly Option<bool> _list = OptionOf.Flag("--list", "List all exercises, and which are solved.");
    private readonly Option<bool> _json = OptionOf.Json("Print the list, or what holds and what is missing, as JSON.");

    public LearnCommand()
        : base(
            "learn",
            "Takes you through the exercises: judges what you play, says what moved and why, gives hints, keeps your place. "
                + "With an exercise: exit code 0 only if it is solved.")
    {
        Takes(_exercise, _run, _answer, _hint, _list, _json);
        HasExamples(
            "learn", "learn survive-stage-4 --hint", "learn survive-stage-4",
            "learn first-knob 2026-01-31T12-00-00-4 --answer workflow.maxConcurrentCalls=40",
            "learn kql-1 --answer 'requests | summarize count() by cloud_RoleName'", "learn --list");
    }

    protected override async Task<ExitCode> RunAsync(ParseResult parsed, LabContext context, CancellationToken cancellationToken)
    {
        var (place, id, json) = (Place.Load(), parsed.GetValue(_exercise), parsed.GetValue(_json));
        if (parsed.GetValue(_list) || (json && id is null))
            List(place, json, context.Out);
        else if (id is not null)
            return await OneAsync(ExerciseTable.Find(id), parsed, place, context, cancellationToken);
        else
            await new Lesson(place, context).RunAsync(cancellationToken);
        return ExitCode.Held;
    }

    private static void List(Place place, bool json, Outlet output)
    {
        var all = ExerciseTable.All.Select(it =>
            new { it.Id, it.Question, it.BeginWith, it.CheckWith, Solved = place.Solved.GetValueOrDefault(it.Id) });
        output.Write(json ? JsonSerializer.Serialize(all, JsonSerializerOptions.Web) : null, screen => screen.WriteList(place.List()));
    }

    private async Task<ExitCode> OneAsync(
        Exercise exercise, ParseResult parsed, Place place, LabContext context, CancellationToken cancellationToken)
    {
        place.Current = exercise.Id;
        if (parsed.GetValue(_hint))
        {
            context.Out.Screen.WriteLine(place.HintOf(exercise));
            place.Save(context.Error.Text);
            return ExitCode.Held;
        }

        var made = await Try.OfAsync(exercise, exercise.Find(parsed.GetValue(_run)), parsed.GetValue(_answer), place, cancellationToken);
        place.Save(context.Error.Text);
        context.Out.Write(parsed.GetValue(_json) ? JsonSerializer.Serialize(made, JsonSerializerOptions.Web) : null, screen =>
        {
            foreach (var line in made.Lines(exercise).Prepend(exercise.Question))
                screen.WriteLine(line);
        });
        return made.Passes ? ExitCode.Held : ExitCode.Failed;
    }
}
