using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Overlays;

/// <summary>Everything outside of <c>loadtest/stages</c> that repeats what is written there: an overlay for each stage, and the table in the docs.</summary>
internal static class OverlayFiles
{
    private const string Begin = "<!-- stages: made by `./lab overlays` -->\n", End = "<!-- /stages -->\n";

    private static string Chart => Path.Combine(Repository.Root, "helm", "drone-delivery");

    private static string Document => Path.Combine(Repository.Root, "docs", "kubernetes.md");

    /// <summary>Path → what it has to contain; null: it has no stage, and must not be there.</summary>
    public static IReadOnlyDictionary<string, string?> Expected(IReadOnlyList<Stage> stages)
    {
        var files = Directory.GetFiles(Chart, "values-stage-*.yaml").ToDictionary(path => path, _ => (string?)null);
        foreach (var stage in stages)
            files[Path.Combine(Chart, $"values-stage-{stage.Id}.yaml")] = HelmValues.Of(stage);
        files[Document] = WithTable(File.ReadAllText(Document), StageTable.Of(stages));
        return files;
    }

    /// <summary>Files that are not as they have to be, relative to the repository.</summary>
    /// <param name="expected">From <see cref="Expected"/>.</param>
    /// <param name="read">Path → content, or null where there is none.</param>
    public static IReadOnlyList<string> Drifted(IReadOnlyDictionary<string, string?> expected, Func<string, string?> read) =>
        [.. expected.Where(it => read(it.Key) != it.Value).Select(it => Path.GetRelativePath(Repository.Root, it.Key)).Order()];

    /// <returns>What is in the file, or null when there is none.</returns>
    public static string? Read(string path) => File.Exists(path) ? File.ReadAllText(path) : null;

    public static void Write(IReadOnlyDictionary<string, string?> expected)
    {
        foreach (var (path, content) in expected)
        {
            if (content is null)
                File.Delete(path);
            else
                File.WriteAllText(path, content);
        }
    }

    private static string WithTable(string document, string table)
    {
        var begin = document.IndexOf(Begin, StringComparison.Ordinal);
        var end = document.IndexOf(End, StringComparison.Ordinal);
        return begin >= 0 && end > begin
            ? document[..(begin + Begin.Length)] + table + document[end..]
            : throw new LabException($"{Document}: the lines {Begin.Trim()} and {End.Trim()} are missing, between which the table of the stages belongs.");
    }
}
