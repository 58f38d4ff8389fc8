namespace DroneDelivery.Lab.Judge;

/// <summary>The runs under artifacts/runs.</summary>
internal static class RunsOnDisk
{
    /// <summary>Stands for the newest run.</summary>
    public const string Last = "last";

    public static string Folder => Path.Combine(Repository.Artifacts, "runs");

    public static string FolderOf(DateTimeOffset now, string what) => FoldersByTime.Of(Folder, now, what);

    private static IReadOnlyList<string> All => FoldersByTime.In(Folder);

    /// <param name="run">A folder, a part of the name of exactly one, or <see cref="Last"/>; null: the newest run.</param>
    /// <exception cref="BadInputException">There is none, or there are several.</exception>
    public static string Find(string? run)
    {
        if (run is null or Last)
        {
            return FoldersByTime.In(Folder) is [.., var newest]
                ? newest
                : throw new BadInputException($"There is no run in {Folder} yet. Play one: ./lab run.");
        }
        return FoldersByTime.Find(run, All, "a run", $"in {Folder}");
    }
}

/// <summary>What was played and kept. Names of folders begin with the time, so the last one is the newest.</summary>
internal static class FoldersByTime
{
    private const int MostNamed = 5;

    /// <summary>The folders in them, oldest first; none where there is no such folder.</summary>
    public static IReadOnlyList<string> In(params IEnumerable<string> parents) =>
        [
            .. parents
                .Where(Directory.Exists)
                .SelectMany(Directory.GetDirectories)
                .OrderBy(Path.GetFileName, StringComparer.Ordinal),
        ];

    public static string Of(string parent, DateTimeOffset now, string what) =>
        Path.Combine(parent, $"{now.ToLocalTime():yyyy-MM-ddTHH-mm-ss}-{what}");

    /// <param name="name">A folder, or a part of the name of exactly one.</param>
    /// <param name="what">What is looked for: <c>a run</c>.</param>
    /// <param name="where">Where: <c>in /…/runs</c>.</param>
    public static string Find(string name, IReadOnlyList<string> all, string what, string where)
    {
        if (Directory.Exists(name))
            return Path.GetFullPath(name);
        return all.Where(folder => Path.GetFileName(folder).Contains(name, StringComparison.OrdinalIgnoreCase))
            .ToList() switch
        {
            [var one] => one,
            [] => throw new BadInputException(
                $"{name} is not {what} {where}. "
                    + (all.Count == 0 ? "There is none yet." : $"The newest is {Path.GetFileName(all[^1])}.")
            ),
            var several => throw new BadInputException(
                $"{name} is ambiguous: {string.Join(", ", several.TakeLast(MostNamed).Select(Path.GetFileName))}."
            ),
        };
    }
}
