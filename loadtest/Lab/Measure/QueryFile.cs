using DroneDelivery.Lab.Stages;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Measure;

/// <summary>The queries of loadtest/queries. Those of <c>lab</c> use tables that only the lab has.</summary>
internal static class QueryFile
{
    /// <summary>The paths by name without <c>.kql</c>, sorted.</summary>
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

    public static string Find(string file) =>
        File.ReadAllText(
            File.Exists(file) ? file
            : All.TryGetValue(file.EndsWith(".kql", StringComparison.Ordinal) ? file[..^4] : file, out var known)
                ? known
            : throw Missing(file)
        );

    /// <param name="file">A path, or the name of a query, with or without <c>.kql</c>.</param>
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
            $"{file} is neither a file nor a query in loadtest/queries. {Nearest.Hint(file, All.Keys)} "
                + "Write a query as './lab query \"requests | count\"'."
        );
}
