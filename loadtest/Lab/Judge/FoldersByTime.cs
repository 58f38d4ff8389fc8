namespace DroneDelivery.Lab.Judge;

/// <summary>What was played and kept. Names of folders begin with the time, so the last one is the newest.</summary>
internal static class FoldersByTime
{
    private const int MostNamed = 5;

    /// <summary>The folders of one, oldest first; none where there is no such folder.</summary>
    public static IReadOnlyList<string> In(string parent) => Directory.Exists(parent) ? Ordered(Directory.GetDirectories(parent)) : [];

    public static string Of(string parent, DateTimeOffset now, string what) =>
        Path.Combine(parent, $"{now.ToLocalTime():yyyy-MM-ddTHH-mm-ss}-{what}");

    public static IReadOnlyList<string> Ordered(IEnumerable<string> folders) =>
        [.. folders.OrderBy(Path.GetFileName, StringComparer.Ordinal)];

    /// <param name="name">A folder, or a part of the name of exactly one.</param>
    /// <param name="what">What is looked for: <c>a run</c>.</param>
    /// <param name="where">Where: <c>in /…/runs</c>.</param>
    /// <exception cref="BadInputException">None, or several.</exception>
    public static string Find(string name, IReadOnlyList<string> all, string what, string where)
    {
        if (Directory.Exists(name))
            return Path.GetFullPath(name);
        return all.Where(folder => Path.GetFileName(folder).Contains(name, StringComparison.OrdinalIgnoreCase)).ToList() switch
        {
            [var one] => one,
            [] => throw new BadInputException($"{name} is not {what} {where}. "
                + (all.Count == 0 ? "There is none yet." : $"The newest is {Path.GetFileName(all[^1])}.")),
            var several => throw new BadInputException(
                $"{name} is ambiguous: {string.Join(", ", several.TakeLast(MostNamed).Select(Path.GetFileName))}."),
        };
    }
}
