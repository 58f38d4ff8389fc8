namespace DroneDelivery.Kubernetes.Tests.Support;

internal static class BuildInputs
{
    /// <summary>Files of the repository that MSBuild gives to the compiler or copies.</summary>
    public static async Task<IEnumerable<string>> OfAsync(string project, string items)
    {
        string[] arguments = ["msbuild", project, "-p:Configuration=Release", $"-getItem:{items}"];
        var groups = JsonNode.Parse(await Tool.RunAsync(Repository.Dotnet, arguments))!["Items"]!.AsObject();
        return groups.SelectMany(group => group.Value!.AsArray()).Select(item => item!["FullPath"]!.ToString())
            .Where(path => path.StartsWith($"{Repository.Root}/", StringComparison.Ordinal))
            .Where(path => !path.Contains("/artifacts/", StringComparison.Ordinal));
    }

    /// <param name="paths">Files, folders and patterns of them, each of which is there.</param>
    /// <param name="inputs">Each is one of them, or in one.</param>
    public static void AssertIn(IEnumerable<string> paths, IEnumerable<string> inputs)
    {
        var there = paths.SelectMany(path => Directory.GetFileSystemEntries(Repository.Root, path).DefaultIfEmpty($"no {path}")).ToList();

        Assert.DoesNotContain(there, path => path.StartsWith("no ", StringComparison.Ordinal));
        Assert.DoesNotContain(
            inputs, input => !there.Exists(path => input == path || input.StartsWith($"{path}/", StringComparison.Ordinal)));
    }
}
