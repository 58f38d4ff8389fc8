namespace DroneDelivery.Lab.Judge;

/// <summary>The runs under artifacts/runs.</summary>
internal static class RunsOnDisk
{
    public static string Folder => Path.Combine(Repository.Artifacts, "runs");

    public static string FolderOf(DateTimeOffset now, string what) => FoldersByTime.Of(Folder, now, what);

    public static IReadOnlyList<string> All => FoldersByTime.In(Folder);

    /// <returns>Oldest first; and why the others cannot be read, a sentence for each.</returns>
    public static (IReadOnlyList<KeptRun> Runs, IReadOnlyList<string> Unread) ReadAll()
    {
        var (runs, unread) = (new List<KeptRun>(), new List<string>());
        foreach (var folder in All)
        {
            try
            {
                runs.Add(new(Path.GetFileName(folder), RunFolder.ReadIn(folder), File.Exists(Path.Combine(folder, "report.html"))));
            }
            catch (LabException)
            {
                unread.Add(Path.GetFileName(folder) + (RunFolder.IsPlayed(folder)
                    ? " is running."
                    : " has no record that can be read: the run was killed, or is of another lab."));
            }
        }

        return (runs, unread);
    }

    /// <param name="run">A folder, or a part of the name of exactly one run; null: the newest.</param>
    /// <exception cref="BadInputException">None, or several.</exception>
    public static string Find(string? run)
    {
        if (run is not null)
            return FoldersByTime.Find(run, All, "a run", $"in {Folder}");
        return All is [.., var newest] ? newest : throw new BadInputException($"There is no run in {Folder} yet. Play one: ./lab run.");
    }
}

/// <summary>A run that is on disk.</summary>
/// <param name="HasReport">Whether <c>report.html</c> is in it.</param>
internal sealed record KeptRun(string Folder, RunRecord Run, bool HasReport);
