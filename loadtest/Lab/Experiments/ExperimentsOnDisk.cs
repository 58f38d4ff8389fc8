using DroneDelivery.Lab.Judge;

namespace DroneDelivery.Lab.Experiments;

/// <summary>What was kept of experiments, under artifacts/experiments; a folder of <c>all</c> has several.</summary>
internal static class ExperimentsOnDisk
{
    /// <summary>Stands for the newest; <c>last-http-scale</c> for the newest that has that one.</summary>
    public const string Last = "last-experiment";

    /// <summary>Stands for the newest run.</summary>
    public const string LastRun = "last";

    public const string FileName = "experiment.json", Report = "report.html";

    private const string LastOf = "last-";

    public static string Folder => Path.Combine(Repository.Artifacts, "experiments");

    public static string FolderOf(DateTimeOffset now, string what) => FoldersByTime.Of(Folder, now, what);

    public static void Write(string folder, IReadOnlyList<ExperimentRecord> records)
    {
        RunFolder.WritePage(folder, FileName, ExperimentRecord.ToJson(records));
        RunFolder.WritePage(folder, Report, ExperimentReport.Render(records));
    }

    public static IReadOnlyList<string> All => FoldersByTime.In(Folder);

    /// <param name="name">A folder, a part of the name of exactly one, or <see cref="Last"/> and its like.</param>
    public static string Find(string name) => Newest(name) ?? FoldersByTime.Find(name, All, "an experiment", $"in {Folder}");

    /// <summary>A run or an experiment: names are looked for among both.</summary>
    public static string FindAny(string name) => name == LastRun
        ? RunsOnDisk.Find(null)
        : Newest(name) ?? FoldersByTime.Find(
            name, FoldersByTime.Ordered([.. RunsOnDisk.All, .. All]), "a run or an experiment", $"in {Repository.Artifacts}");

    /// <returns>The folder that <c>last-…</c> stands for; null where the name is another.</returns>
    /// <exception cref="BadInputException">Nothing of it was played yet.</exception>
    public static string? Newest(string name)
    {
        if (name == Last)
        {
            return All.LastOrDefault(IsExperiment)
                ?? throw new BadInputException($"There is no experiment in {Folder} yet. Play one: ./lab experiment NAME.");
        }
        var of = Experiment.All().FirstOrDefault(experiment => LastOf + experiment.Name == name);
        return of is null ? null : NewestOf(of.Name, $"./lab experiment {of.Name}");
    }

    /// <param name="begin">What to type where there is none.</param>
    /// <exception cref="BadInputException">It was not played yet.</exception>
    public static string NewestOf(string experiment, string begin) =>
        All.LastOrDefault(folder => IsExperiment(folder) && Read(folder).Any(record => record.Name == experiment))
        ?? throw new BadInputException($"There is no experiment {experiment} in {Folder} yet. Play it: {begin}.");

    public static bool IsExperiment(string folder) => File.Exists(Path.Combine(folder, FileName));

    /// <exception cref="BadInputException">It was killed before it could be kept, or is of another version.</exception>
    public static IReadOnlyList<ExperimentRecord> Read(string folder)
    {
        var file = Path.Combine(folder, FileName);
        if (!File.Exists(file))
            throw new BadInputException($"{file} is missing: that experiment was killed before it was saved.");
        try
        {
            return ExperimentRecord.Parse(File.ReadAllText(file));
        }
        catch (System.Text.Json.JsonException exception)
        {
            throw new BadInputException($"{file} cannot be read: {exception.Message}");
        }
    }
}
