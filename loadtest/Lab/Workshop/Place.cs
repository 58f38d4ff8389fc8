using System.Text.Json;
using DroneDelivery.Lab.Judge;

namespace DroneDelivery.Lab.Workshop;

/// <summary>The saved progress of a participant.</summary>
internal sealed record Place
{
    private const string FileName = "learn.json";

    public string Current { get; set; } = ExerciseTable.All[0].Id;

    /// <summary>Exercise → the folder that solved it.</summary>
    public Dictionary<string, string> Solved { get; init; } = [];

    /// <summary>Exercise → the folder of the last try.</summary>
    public Dictionary<string, string> Tried { get; init; } = [];

    /// <summary>Exercise → the number of hints shown.</summary>
    public Dictionary<string, int> Hinted { get; init; } = [];

    /// <returns><c>null</c> if no progress is saved, or if the file is damaged or names an unknown exercise.</returns>
    public static Place? Load()
    {
        try
        {
            var place = JsonSerializer.Deserialize<Place>(
                File.ReadAllText(Path.Combine(Repository.LabFolder, FileName))
            );
            return ExerciseTable.All.Any(exercise => exercise.Id == place?.Current) ? place : null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or JsonException)
        {
            return null;
        }
    }

    /// <summary>Saves the progress, without an error if the file can't be written.</summary>
    public void Save(TextWriter notice)
    {
        try
        {
            RunFolder.WritePage(Repository.LabFolder, FileName, JsonSerializer.Serialize(this));
        }
        catch (LabException)
        {
            notice.WriteLine($"Can't save your progress in {Repository.LabFolder}.");
        }
    }

    public bool IsSolved(Exercise exercise) => Solved.ContainsKey(exercise.Id);

    /// <summary>Goes to the first exercise after this one that is not solved.</summary>
    /// <returns><c>null</c> if all are solved.</returns>
    public Exercise? Next()
    {
        var at = ExerciseTable.All.Index().First(it => it.Item.Id == Current).Index;
        var next = ExerciseTable.All.Skip(at + 1).Concat(ExerciseTable.All).FirstOrDefault(it => !IsSolved(it));
        Current = next?.Id ?? Current;
        return next;
    }

    public Table List() => Table.Of("", ["exercise", "", "question", "begin with"], ExerciseTable.All, it => [
                it.Id,
                IsSolved(it) ? "solved"
                : it.Id == Current ? "here"
                : "",
                it.Question,
                "./lab " + it.BeginWith,
            ]);

    /// <summary>The next hint; after the last, the last.</summary>
    public string HintOf(Exercise exercise)
    {
        var given = Math.Min(Hinted.GetValueOrDefault(exercise.Id), exercise.Hints.Count - 1);
        Hinted[exercise.Id] = given + 1;
        return $"Hint {given + 1} of {exercise.Hints.Count}: {exercise.Hints[given]}";
    }
}
