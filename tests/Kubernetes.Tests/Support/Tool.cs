using System.Diagnostics;
using DroneDelivery.Lab.Cluster;

namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary>A program on PATH. Tests that require a missing one are skipped with its name.</summary>
internal static class Tool
{
    // Longer than the timeouts of helm and kubectl, and than a build next to three suites, so only hanging programs are
    // killed.
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(20);

    public static bool IsInstalled(string name) => Executable.OnPath(name) is not null;

    /// <summary>Returns the actual folder if the entry on PATH is a link.</summary>
    public static string FolderOf(string name)
    {
        var path = Executable.OnPath(name)!;
        return Path.GetDirectoryName(File.ResolveLinkTarget(path, returnFinalTarget: true)?.FullName ?? path)!;
    }

    public static void Require(params string[] names)
    {
        var missing = names.Where(name => !IsInstalled(name)).ToList();
        Assert.SkipUnless(
            missing.Count == 0,
            $"{string.Join(" and ", missing)}: not on PATH, so this was not checked."
        );
    }

    public static async Task<string> RunAsync(
        string name,
        IEnumerable<string> arguments,
        string input = "",
        Dictionary<string, string>? environment = null
    )
    {
        var result = await TryAsync(name, arguments, input, environment);
        Assert.True(
            result.ExitCode == 0,
            $"{name} {string.Join(' ', arguments)}: exit code {result.ExitCode}\n{result.Output}\n{result.Error}"
        );
        return result.Output;
    }

    /// <param name="cancellation">The cancellation token; by default, that of the test.</param>
    public static async Task<Result> TryAsync(
        string name,
        IEnumerable<string> arguments,
        string input = "",
        Dictionary<string, string>? environment = null,
        CancellationToken? cancellation = null
    )
    {
        var start = new ProcessStartInfo(name, arguments)
        {
            WorkingDirectory = Repository.Root,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var (key, value) in environment ?? [])
            start.Environment[key] = value;
        using var process = Process.Start(start)!;
        var output = process.StandardOutput.ReadToEndAsync();
        var error = process.StandardError.ReadToEndAsync();
        await process.StandardInput.WriteAsync(input);
        process.StandardInput.Close();
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(
            cancellation ?? TestContext.Current.CancellationToken
        );
        timeout.CancelAfter(Limit);
        // The output so far shows where it hangs.
        await using (timeout.Token.Register(() => process.Kill(entireProcessTree: true)))
            await process.WaitForExitAsync(CancellationToken.None);
        return new(process.ExitCode, await output, await error);
    }
}

internal sealed record Result(int ExitCode, string Output, string Error);
