using System.Formats.Tar;
using System.Text.RegularExpressions;
using DroneDelivery.Lab.Cluster;

namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary>
/// A stand-in for the Redis image: this machine's redis-server, and the programs of the chart's readiness probe.
/// </summary>
internal static partial class RedisImage
{
    private static readonly string[] Programs = ["redis-server", "redis-cli", "sh", "grep"];

    /// <summary>Writes the root file system of the image as a tar file.</summary>
    public static async Task WriteAsync(string path)
    {
        Tool.Require(Programs);
        var programs = Programs.Select(program => Executable.OnPath(program)!).ToList();
        var libraries = Library().Matches(await Tool.RunAsync("ldd", programs)).Select(match => match.Groups[1].Value);
        await using var file = File.Create(path);
        await using var tar = new TarWriter(file);
        foreach (var program in programs)
            BaseImage.WriteFile(tar, program, $"usr/bin/{Path.GetFileName(program)}");
        foreach (var library in libraries.Distinct())
            BaseImage.WriteFile(tar, library, library.TrimStart('/'));
    }

    [GeneratedRegex(@"(/\S+) \(0x")]
    private static partial Regex Library();
}
