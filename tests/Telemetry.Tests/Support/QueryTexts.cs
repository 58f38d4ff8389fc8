using DroneDelivery.Testing;

namespace DroneDelivery.Telemetry.Tests.Support;

internal static class QueryTexts
{
    public static IReadOnlyDictionary<string, string> All { get; } = Of("");

    /// <summary>The queries that run unchanged in Application Insights.</summary>
    public static IReadOnlyDictionary<string, string> OfApplicationInsights { get; } = Of("application-insights");

    private static SortedDictionary<string, string> Of(string folder) =>
        new(
            Directory
                .EnumerateFiles(
                    Path.Combine(Repository.Root, "loadtest", "queries", folder),
                    "*.kql",
                    SearchOption.AllDirectories
                )
                .ToDictionary(path => Path.GetFileNameWithoutExtension(path), File.ReadAllText),
            StringComparer.Ordinal
        );
}
