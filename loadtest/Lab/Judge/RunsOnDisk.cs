namespace DroneDelivery.Lab.Judge;

internal static class RunsOnDisk
{
    public const string Last = "last";

    public static string Folder => Path.Combine(Repository.Artifacts, "runs");

    public static string FolderOf(DateTimeOffset now, string what) => FoldersByTime.Of(Folder, now, what);

    private static IReadOnlyList<string> All => FoldersByTime.In(Folder);

    /// <param name="run">A folder, an unambiguous part of its name, or <see cref="Last"/>; <c>null</c> for the newest run.</param>
    /// <exception cref="BadInputException">No run matches, or several do.</exception>
    public static string Find(string? run)
    {
        if (run is null or Last)
        {
            return FoldersByTime.In(Folder) is [.., var newest]
                ? newest
                : throw new BadInputException($"There are no runs in {Folder} yet. To start one: ./lab run.");
        }
        return FoldersByTime.Find(run, All, "a run", $"in {Folder}");
    }
}

/// <summary>Folders whose names start with the time, so the last one is the newest.</summary>
internal static class FoldersByTime
{
    private const int MaxListed = 5;

    /// <summary>Returns the folders, oldest first; empty if there is none.</summary>
    public static IReadOnlyList<string> In(params IEnumerable<string> parents) =>
        [
            .. parents
                .Where(Directory.Exists)
                .SelectMany(Directory.GetDirectories)
                .OrderBy(Path.GetFileName, StringComparer.Ordinal),
        ];

    public static string Of(string parent, DateTimeOffset now, string what) =>
        Path.Combine(parent, $"{now.ToLocalTime():yyyy-MM-ddTHH-mm-ss}-{what}");

    /// <param name="name">A folder, or an unambiguous part of its name.</param>
    /// <param name="what">For error messages: <c>a run</c>.</param>
    /// <param name="where">For error messages: <c>in /…/runs</c>.</param>
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
                $"{name} is ambiguous: {string.Join(", ", several.TakeLast(MaxListed).Select(Path.GetFileName))}."
            ),
        };
    }
}
