using DroneDelivery.Lab.Judge;
using Spectre.Console;

namespace DroneDelivery.Lab.Workshop;

/// <summary>
/// An interactive session: grades new runs, reads answers and commands from the console, and continues with the next exercise.
/// </summary>
internal sealed class Lesson(Place place, LabContext context)
{
    private static readonly TimeSpan BetweenLooks = TimeSpan.FromSeconds(0.5);

    private Exercise _exercise = ExerciseTable.Find(place.Current);
    private string? _seen,
        _answer;

    /// <summary>Runs until every exercise is solved or the input ends.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        var input = context.OpenIn();
        await BeginAsync(_exercise, cancellationToken);
        for (var typed = ReadLine(); !ExerciseTable.All.All(place.IsSolved); )
        {
            await Task.WhenAny(typed, Task.Delay(BetweenLooks, context.Time, cancellationToken));
            cancellationToken.ThrowIfCancellationRequested();
            if (!typed.IsCompleted)
            {
                await LookAsync(cancellationToken);
                continue;
            }
            if (await typed is not { } line)
                return;
            await HearAsync(line.Trim(), cancellationToken);
            typed = ReadLine();
        }

        // The console reads a line only while a thread waits for it.
        Task<string?> ReadLine() => Task.Run(input.ReadLine, CancellationToken.None);
    }

    private async Task BeginAsync(Exercise exercise, CancellationToken cancellationToken)
    {
        (_exercise, _answer, _seen, place.Current) = (exercise, null, null, exercise.Id);
        place.Save(context.Error.Text);
        Say($"\n{exercise.Id}: {exercise.Question}");
        Say(
            $"Begin with ./lab {exercise.BeginWith} in another terminal. "
                + (
                    exercise.Answer is { } answer
                        ? $"Type your answer here, as {answer}."
                        : "What you play is judged when it ends."
                )
                + " Or type: hint, skip, list, the name of an exercise."
        );
        await LookAsync(cancellationToken);
    }

    /// <summary>Grades runs that have been completed since the previous check.</summary>
    private async Task LookAsync(CancellationToken cancellationToken)
    {
        if (
            Found<string?>(null, () => RunsOnDisk.Find(null)) is not { } folder
            || folder == _seen
            || !IsComplete(folder)
        )
        {
            return;
        }

        _seen = folder;
        if (!Found(true, () => _exercise.IsAbout(folder)))
            return;
        if (_exercise.Answer is null || _answer is not null)
            await TryAsync(cancellationToken);
        else
            Say($"{Path.GetFileName(folder)} is there. What do you say about it?");
    }

    /// <summary>A run that still runs, or was killed, isn't complete.</summary>
    private static bool IsComplete(string folder) =>
        File.Exists(Path.Combine(folder, RunFolder.FileName)) && !RunFolder.IsPlayed(folder);

    private async Task HearAsync(string line, CancellationToken cancellationToken)
    {
        switch (line)
        {
            case "":
                break;
            case "hint":
                Say(place.HintOf(_exercise));
                place.Save(context.Error.Text);
                break;
            case "list":
                context.Out.Screen.WriteList(place.List());
                break;
            case "skip":
                await GoOnAsync(cancellationToken);
                break;
            case var id when ExerciseTable.All.FirstOrDefault(exercise => exercise.Id == id) is { } other:
                await BeginAsync(other, cancellationToken);
                break;
            case var answer:
                _answer = _exercise.Answer is null ? null : answer;
                await TryAsync(cancellationToken);
                break;
        }
    }

    private async Task TryAsync(CancellationToken cancellationToken)
    {
        try
        {
            var made = await Try.OfAsync(_exercise, RunsOnDisk.Find(null), _answer, place, cancellationToken);
            foreach (var line in made.Lines(_exercise))
                Say(line);
            place.Save(context.Error.Text);
            if (made.Passes)
                await GoOnAsync(cancellationToken);
        }
        catch (LabException exception)
        {
            Say(exception.Message);
        }
    }

    private async Task GoOnAsync(CancellationToken cancellationToken)
    {
        if (place.Next() is { } next)
            await BeginAsync(next, cancellationToken);
        else
            Say("Every exercise is solved.");
    }

    /// <param name="otherwise">The attempt to return if no run is available or readable.</param>
    internal static T Found<T>(T otherwise, Func<T> find)
    {
        try
        {
            return find();
        }
        catch (LabException)
        {
            return otherwise;
        }
    }

    private void Say(string line) => context.Out.Screen.WriteLine(line);
}
