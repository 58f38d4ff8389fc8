using System.Collections.Concurrent;

namespace DroneDelivery.Kubernetes.Tests.Support;

internal static class BuildInputs
{
    private static readonly ConcurrentDictionary<string, Lazy<Task<JsonNode>>> Evaluated = new();

    /// <summary>What the SDK would build an image of. A project is evaluated once, whoever asks.</summary>
    public static Task<JsonNode> EvaluateAsync(string project) =>
        Evaluated.GetOrAdd(project, _ => new(() => RunAsync(project))).Value;

    /// <summary>Files of the repository that MSBuild gives to the compiler or copies.</summary>
    public static async Task<IEnumerable<string>> OfAsync(string project, params string[] items)
    {
        var groups = (await EvaluateAsync(project))["Items"]!;
        return items
            .SelectMany(item => groups[item]!.AsArray())
            .Select(item => item!["FullPath"]!.ToString())
            .Where(path => path.StartsWith($"{Repository.Root}/", StringComparison.Ordinal))
            .Where(path => !path.Contains("/artifacts/", StringComparison.Ordinal));
    }

    private static async Task<JsonNode> RunAsync(string project) =>
        JsonNode.Parse(
            await Tool.RunAsync(
                Repository.Dotnet,
                [
                    "msbuild",
                    SkaffoldFile.PathOf(project),
                    "-t:ComputeContainerConfig",
                    "-p:Configuration=Release",
                    "-getProperty:ContainerBaseImage,ContainerUser,ContainerRepository",
                    "-getItem:ContainerAppCommand,ContainerLabel,ContainerPort,ContainerEnvironmentVariable",
                    "-getItem:Compile,Content,EmbeddedResource,AdditionalFiles,EditorConfigFiles",
                ]
            )
        )!;

    /// <param name="paths">Files, folders and patterns of them, each of which is there.</param>
    /// <param name="inputs">Each is one of them, or in one.</param>
    public static void AssertIn(IEnumerable<string> paths, IEnumerable<string> inputs)
    {
        var there = paths
            .SelectMany(path => Directory.GetFileSystemEntries(Repository.Root, path).DefaultIfEmpty($"no {path}"))
            .ToList();

        Assert.DoesNotContain(there, path => path.StartsWith("no ", StringComparison.Ordinal));
        Assert.DoesNotContain(inputs, input =>
            !there.Exists(path => input == path || input.StartsWith($"{path}/", StringComparison.Ordinal))
        );
    }
}
