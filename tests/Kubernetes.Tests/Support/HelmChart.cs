using System.Collections.Concurrent;
using System.Text.RegularExpressions;

namespace DroneDelivery.Kubernetes.Tests.Support;

internal static partial class HelmChart
{
    public const string Folder = "helm/drone-delivery",
        OptionalServices = "ci/optional-services.yaml";

    /// <summary>Names for files that the chart rejects without custom names, and unused names.</summary>
    private static readonly Dictionary<string, string> Names = new()
    {
        ["values-azure.yaml"] = "ci/azure-names.yaml",
        ["values-production.yaml"] = "ci/production-names.yaml",
    };

    private static readonly ConcurrentDictionary<string, Lazy<Task<string>>> Rendered = new();

    /// <summary>
    /// All supported installations of the chart: its own values (empty), its values with one overlay, and the services
    /// that are disabled by default.
    /// </summary>
    public static TheoryData<string> Overlays =>
        [
            .. Directory
                .GetFiles(Path.Combine(Repository.Root, Folder), "values-*.yaml")
                .Select(path => Path.GetFileName(path))
                .Order(StringComparer.Ordinal)
                .Prepend("")
                .Append(OptionalServices)
                .Append($"values-azure.yaml {OptionalServices}")
                .Append("values-azure.yaml values-production.yaml"),
        ];

    /// <summary>One overlay for each set of values: variants of a stage differ only in their load.</summary>
    public static TheoryData<string> DifferentOverlays => [.. Overlays.Select(row => row.Data).DistinctBy(Settings)];

    /// <summary>One overlay for each set of pods, whose containers may have different settings.</summary>
    public static TheoryData<string> OverlaysWithDifferentPods =>
        [.. Overlays.Select(row => row.Data).DistinctBy(overlay => Setting().Replace(Settings(overlay), ""))];

    public static JsonNode OwnValues => Yaml.Documents(Read($"{Folder}/values.yaml")).Single();

    /// <summary>Renders the manifests, once per set of values.</summary>
    public static Task<string> RenderAsync(string overlay = "", params string[] more)
    {
        Tool.Require("helm");
        return RenderChartAsync(Folder, overlay, more);
    }

    /// <summary>The manifests of the same chart with another version.</summary>
    public static async Task<string> RenderVersionAsync(string version, string overlay, params string[] more)
    {
        using var own = new OwnFolder();
        await Tool.RunAsync("helm", ["package", Folder, "--version", version, "--destination", own.Path]);
        return await RenderChartAsync(Path.Combine(own.Path, $"drone-delivery-{version}.tgz"), overlay, more);
    }

    private static Task<string> RenderChartAsync(string chart, string overlay, string[] more)
    {
        string[] arguments = ["template", "drone", chart, "--namespace", "drone-delivery", .. Values(overlay), .. more];
        return Rendered.GetOrAdd(string.Join(' ', arguments), _ => new(() => Tool.RunAsync("helm", arguments))).Value;
    }

    public static IEnumerable<string> Values(string overlay) =>
        Files(overlay)
            .SelectMany(file => Names.TryGetValue(file, out var names) ? [file, names] : new[] { file })
            .SelectMany(file => new[] { "--values", $"{Folder}/{file}" });

    private static string[] Files(string overlay) => overlay.Split(' ', StringSplitOptions.RemoveEmptyEntries);

    private static string Settings(string overlay) =>
        string.Join(
            '\n',
            Files(overlay)
                .SelectMany(file => File.ReadLines(Path.Combine(Repository.Root, Folder, file)))
                .Where(line => !line.StartsWith('#'))
        );

    // A service's setting, such as Workflow:PrefetchCount, or a setting of the broker or Redis.
    [GeneratedRegex(@"^ +\w+:\w[\w:]+: .*$|(lockDuration|maxDeliveryCount|maxMemory): [^,}]+", RegexOptions.Multiline)]
    private static partial Regex Setting();
}
