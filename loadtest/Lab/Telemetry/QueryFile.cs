using DroneDelivery.Lab.Knobs;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Telemetry;

/// <summary>The queries of loadtest/queries: the very files to paste into Log Analytics.</summary>
internal static class QueryFile
{
    public static string Folder => Path.Combine(Repository.Root, "loadtest", "queries");

    /// <summary>The text of a file of loadtest/queries.</summary>
    /// <param name="name">Without <c>.kql</c>.</param>
    public static string Text(string name) => File.ReadAllText(Path.Combine(Folder, name + ".kql"));

    /// <param name="file">A path, or the name of a file of loadtest/queries, with or without <c>.kql</c>.</param>
    /// <exception cref="BadInputException">No such file, or not a query: the message names file, line and column.</exception>
    public static KqlQuery Read(string file)
    {
        var path = new[] { file, Path.Combine(Folder, file), Path.Combine(Folder, file + ".kql") }.FirstOrDefault(File.Exists) ?? throw Missing(file);
        return Parse(File.ReadAllText(path), Path.GetFileName(path));
    }

    /// <param name="text">The query.</param>
    /// <param name="source">What an error calls it.</param>
    /// <exception cref="BadInputException">Not a query.</exception>
    public static KqlQuery Parse(string text, string source)
    {
        try
        {
            return KqlQuery.Parse(text);
        }
        catch (KqlException exception)
        {
            throw new BadInputException($"{source}: {exception.Message}");
        }
    }

    private static BadInputException Missing(string file)
    {
        var all = Directory.GetFiles(Folder, "*.kql").Select(path => Path.GetFileNameWithoutExtension(path)!).Order(StringComparer.Ordinal).ToList();
        var near = Nearest.To(file, all);
        return new($"{file} is not a file, nor one of loadtest/queries. {(near.Count > 0 ? $"Did you mean {string.Join(" or ", near)}?" : $"There are: {string.Join(", ", all)}.")}");
    }
}
