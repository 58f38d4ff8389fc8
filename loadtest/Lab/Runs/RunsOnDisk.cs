namespace DroneDelivery.Lab.Runs;

/// <summary>The runs under artifacts/runs. Their names begin with the time, so the last one is the newest.</summary>
internal static class RunsOnDisk
{
    public static string Folder => Path.Combine(Repository.Artifacts, "runs");

    /// <param name="run">A folder, or a part of the name of exactly one run; null: the newest.</param>
    /// <exception cref="BadInputException">None, or several.</exception>
    public static string Find(string? run)
    {
        if (run is not null && Directory.Exists(run))
            return Path.GetFullPath(run);
        var all = Directory.Exists(Folder) ? Directory.GetDirectories(Folder).Order(StringComparer.Ordinal).ToList() : [];
        if (run is null)
            return all.LastOrDefault() ?? throw new BadInputException($"There is no run in {Folder} yet: ./lab run.");
        return all.FindAll(folder => Path.GetFileName(folder).Contains(run, StringComparison.OrdinalIgnoreCase)) switch
        {
            [var one] => one,
            [] => throw new BadInputException($"{run} is not a run in {Folder}. "
                + (all.Count == 0 ? "There is none yet." : $"The newest is {Path.GetFileName(all[^1])}.")),
            var several => throw new BadInputException(
                $"{run} may be several runs: {string.Join(", ", several.TakeLast(5).Select(Path.GetFileName))}."),
        };
    }
}
