using System.Collections.Concurrent;
using DroneDelivery.Kubernetes.Tests.Tools;
using DroneDelivery.Lab;

namespace DroneDelivery.Kubernetes.Tests.Chart;

/// <summary>The chart of this repository.</summary>
internal static class HelmChart
{
    public const string Folder = "helm/drone-delivery";

    private static readonly ConcurrentDictionary<string, Lazy<Task<string>>> Rendered = new();

    /// <summary>Every way in which the chart is meant to be installed: its own values (empty), and its values with one overlay.</summary>
    public static TheoryData<string> Overlays =>
    [
        .. Directory.GetFiles(Path.Combine(Repository.Root, Folder), "values-*.yaml")
            .Select(path => Path.GetFileName(path))
            .Order(StringComparer.Ordinal)
            .Prepend(""),
    ];

    /// <summary>Of the overlays that set the same (the variants of a stage differ in load alone) one each.</summary>
    public static TheoryData<string> DifferentOverlays => [.. Overlays.Select(row => row.Data).DistinctBy(Settings)];

    /// <summary>The manifests. They are rendered once, whoever asks.</summary>
    /// <param name="overlay">From <see cref="Overlays"/>.</param>
    /// <param name="more">Further arguments of helm.</param>
    public static Task<string> RenderAsync(string overlay = "", params string[] more)
    {
        Tool.Require("helm");
        string[] arguments = ["template", "drone", Folder, "--namespace", "drone-delivery", .. Values(overlay), .. more];
        return Rendered.GetOrAdd(string.Join(' ', arguments), _ => new(() => Tool.RunAsync("helm", arguments))).Value;
    }

    public static IEnumerable<string> Values(string overlay) => overlay switch
    {
        "" => [],
        "values-azure.yaml" => ["--values", $"{Folder}/{overlay}", "--values", $"{Folder}/ci/azure-names.yaml"],
        _ => ["--values", $"{Folder}/{overlay}"],
    };

    private static string Settings(string overlay) => overlay.Length == 0
        ? ""
        : string.Join('\n', File.ReadLines(Path.Combine(Repository.Root, Folder, overlay)).Where(line => !line.StartsWith('#')));
}
