using DroneDelivery.Lab.Stages;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Measure;

/// <summary>
/// The queries of loadtest/queries. Those of <c>application-insights</c> run there as they are; those of <c>lab</c> need tables that the
/// lab alone has.
/// </summary>
internal static class QueryFile
{
    /// <summary>Name without <c>.kql</c> → path, in the order of the names.</summary>
    public static IReadOnlyDictionary<string, string> All { get; } =
        new OrderedDictionary<string, string>(
            Directory
                .EnumerateFiles(
                    Path.Combine(Repository.Root, "loadtest", "queries"),
                    "*.kql",
                    SearchOption.AllDirectories
                )
                .Select(path => KeyValuePair.Create(Path.GetFileNameWithoutExtension(path), path))
                .OrderBy(file => file.Key, StringComparer.Ordinal)
        );

    public static string Text(string name) => File.ReadAllText(All[name]);

    /// <summary>The text of a file: of a path, or of loadtest/queries by name, with or without <c>.kql</c>.</summary>
    public static string Find(string file) =>
        File.ReadAllText(
            File.Exists(file) ? file
            : All.TryGetValue(file.EndsWith(".kql", StringComparison.Ordinal) ? file[..^4] : file, out var known)
                ? known
            : throw Missing(file)
        );

    /// <param name="file">A path, or the name of a file of loadtest/queries, with or without <c>.kql</c>.</param>
    public static KqlQuery Read(string file)
    {
        try
        {
            return KqlQuery.Parse(Find(file));
        }
        catch (KqlException exception)
        {
            throw new BadInputException($"{Path.GetFileName(file)}: {exception.Message}");
        }
    }

    private static BadInputException Missing(string file) =>
        new(
            $"{file} is not a file, nor one of loadtest/queries. {Nearest.Hint(file, All.Keys)} "
                + "A query is written './lab query \"requests | count\"'."
        );
}
