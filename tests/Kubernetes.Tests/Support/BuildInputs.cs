using System.Collections.Concurrent;

namespace DroneDelivery.Kubernetes.Tests.Support;

internal static class BuildInputs
{
    private static readonly ConcurrentDictionary<string, Lazy<Task<JsonNode>>> Evaluated = new();

    /// <summary>Evaluates the inputs of an image, once per project.</summary>
    public static Task<JsonNode> EvaluateAsync(string project) =>
        Evaluated.GetOrAdd(project, _ => new(() => RunAsync(project))).Value;

    /// <summary>Returns the files of the repository that MSBuild compiles or copies.</summary>
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

    /// <param name="paths">Existing files, folders, and patterns.</param>
    /// <param name="inputs">Files that must be covered by them.</param>
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
