using System.CommandLine;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Workshop;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

internal sealed class LearnCommand : Verb
{
    private readonly Argument<string?> _exercise = OptionOf.Optional(
        "exercise",
        "Grade one attempt at this exercise, and exit. [default: continue with the next exercise until Ctrl-C]"
    );

    private readonly Argument<string?> _run = OptionOf.Optional(
        "run",
        "A folder in artifacts/runs, or part of its name. [default: the newest run]",
        "PLAYED"
    );

    private readonly Option<string?> _answer = OptionOf.Text(
        "--answer",
        "TEXT",
        "Your answer, if the exercise asks for one."
    );

    private readonly Option<bool> _hint = OptionOf.Flag("--hint", "Show the next hint for the exercise.");
    private readonly Option<bool> _list = OptionOf.Flag("--list", "List all exercises and whether they are solved.");
    private readonly Option<bool> _json = OptionOf.Json("Print the list or the result as JSON.");

    public LearnCommand()
        : base(
            "learn",
            "Guides you through the exercises: grades your runs, explains what changed, gives hints, and saves your progress. "
                + "With an exercise: exit code 0 only if it is solved."
        )
    {
        Takes(_exercise, _run, _answer, _hint, _list, _json);
        HasExamples(
            "learn",
            "learn survive-stage-4 --hint",
            "learn survive-stage-4",
            "learn first-knob 2026-01-31T12-00-00-4 --answer workflow.maxConcurrentCalls=40",
            "learn kql-1 --answer 'requests | summarize count() by cloud_RoleName'",
            "learn --list"
        );
    }

    protected override async Task<ExitCode> RunAsync()
    {
        var (place, id, json) = (Place.Load() ?? new(), Get(_exercise), Get(_json));
        if (id is null)
            RejectOptions("requires an exercise.", _hint, _answer);
        if (Get(_list) || (json && id is null))
            List(place, json);
        else if (id is not null)
            return await OneAsync(ExerciseTable.Find(id), place);
        else
            await new Lesson(place, Context).RunAsync(Stopping);
        return ExitCode.Held;
    }

    private void List(Place place, bool json)
    {
        var all = ExerciseTable.All.Select(exercise => new
        {
            exercise.Id,
            exercise.Question,
            exercise.BeginWith,
            exercise.CheckWith,
            Solved = place.Solved.GetValueOrDefault(exercise.Id),
        });
        Out.Write(json ? PrintedJson.Of(all) : null, screen => screen.WriteList(place.List()));
    }

    private async Task<ExitCode> OneAsync(Exercise exercise, Place place)
    {
        place.Current = exercise.Id;
        if (Get(_hint))
        {
            Out.Screen.WriteLine(place.HintOf(exercise));
            place.Save(Error);
            return ExitCode.Held;
        }

        var made = await Try.OfAsync(exercise, RunsOnDisk.Find(Get(_run)), Get(_answer), place, Stopping);
        place.Save(Error);
        Out.Write(Get(_json) ? PrintedJson.Of(made) : null, screen =>
        {
            foreach (var line in made.Lines(exercise).Prepend(exercise.Question))
                screen.WriteLine(line);
        });
        return made.Passes ? ExitCode.Held : ExitCode.Failed;
    }
}
