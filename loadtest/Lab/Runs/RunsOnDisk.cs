namespace DroneDelivery.Lab.Runs;

/// <summary>The runs under artifacts/runs.</summary>
internal static class RunsOnDisk
{
    public static string Folder => Path.Combine(Repository.Artifacts, "runs");

    public static IReadOnlyList<string> All => FoldersByTime.In(Folder);

    /// <param name="run">A folder, or a part of the name of exactly one run; null: the newest.</param>
    /// <exception cref="BadInputException">None, or several.</exception>
    public static string Find(string? run)
    {
        if (run is not null)
            return FoldersByTime.Find(run, All, "a run", $"in {Folder}");
        return All is [.., var newest] ? newest : throw new BadInputException($"There is no run in {Folder} yet. Play one: ./lab run.");
    }
}
