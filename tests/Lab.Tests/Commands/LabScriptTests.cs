namespace DroneDelivery.Lab.Tests.Commands;

/// <summary>
/// The <c>lab</c> script in a checkout with only the files that it reads, and fakes of the programs that it calls.
/// </summary>
public sealed class LabScriptTests : IDisposable
{
    /// <summary>Simulates a build when allowed; otherwise, prints the arguments of the lab.</summary>
    private const string Dotnet = """
        #!/bin/sh
        case $1 in
          --version) [ ! -e bad-sdk ] ;;
          --list-sdks) echo '8.0.400 [/usr/share/dotnet/sdk]' ;;
          build)
            echo build >>builds
            while [ -e wait ]; do sleep 0.05; done
            mkdir -p artifacts/bin/Lab/release && : >artifacts/bin/Lab/release/DroneDelivery.Lab.dll ;;
          *) shift; printf '<%s>' "$@" ;;
        esac
        """;

    private static readonly string[] Programs =
    [
        "bash",
        "sh",
        "env",
        "sed",
        "find",
        "mkdir",
        "touch",
        "mv",
        "cut",
        "xargs",
        "echo",
        "id",
        "flock",
        "grep",
        "sort",
        "head",
        "tail",
        "dirname",
        "sleep",
    ];

    private readonly DirectoryInfo _checkout = Directory.CreateTempSubdirectory("a path with spaces ");

    public LabScriptTests()
    {
        foreach (
            var folder in (string[])
                ["services", "libs", "local", "loadtest/Lab", "loadtest/LabAgent", "loadtest/Model", "build"]
        )
        {
            _checkout.CreateSubdirectory(folder);
        }

        foreach (var file in (string[])["loadtest/lab.slnf", "any.props", "any.targets"])
            File.WriteAllText(PathOf(file), "");
        foreach (var file in (string[])["lab", "global.json"])
            File.Copy(Path.Combine(Repository.Root, file), PathOf(file));
        _checkout.CreateSubdirectory("programs");
        foreach (var program in Programs)
            File.CreateSymbolicLink(PathOf($"programs/{program}"), Executable.OnPath(program)!);
        Script.Write(PathOf("programs/dotnet"), Dotnet);
    }

    public void Dispose()
    {
        ChangeMode("u+w");
        _checkout.Delete(recursive: true);
    }

    [Fact]
    public async Task Script_builds_once_and_passes_its_arguments_unchanged()
    {
        var first = await RunAsync("query", "requests | count");
        var second = await RunAsync("check");

        Assert.Equal(
            (0, "<query><requests | count>", "Building… done in"),
            (first.ExitCode, first.Output, first.Error[..17])
        );
        Assert.Equal((0, "<check>", ""), second);
        Assert.Single(Builds);
    }

    [Fact]
    public async Task Concurrent_starts_in_a_new_clone_build_once()
    {
        File.WriteAllText(PathOf("wait"), "");
        using var first = Start("bash", "../lab", "check");
        await UntilAsync(() => Builds.Length == 1);
        using var second = Start("bash", "../lab", "check");
        Assert.Equal(
            "Another ./lab is building…",
            await second.StandardError.ReadLineAsync(TestContext.Current.CancellationToken)
        );
        File.Delete(PathOf("wait"));

        Assert.Equal((0, 0), ((await first.EndAsync()).ExitCode, (await second.EndAsync()).ExitCode));
        Assert.Single(Builds);
    }

    [Fact]
    public async Task Ctrl_C_stops_the_build_and_the_next_start_builds_again()
    {
        File.WriteAllText(PathOf("wait"), "");
        using var process = Start("setsid", "bash", "../lab", "check"); // In a process group, like in a terminal.
        await UntilAsync(() => Builds.Length == 1);
        await process.InterruptAsync(isGroup: true);
        Assert.Equal(130, process.ExitCode);
        File.Delete(PathOf("wait"));

        Assert.Equal((0, "<check>"), await RunAsync("check") is var again ? (again.ExitCode, again.Output) : default);
    }

    [Fact]
    public async Task Missing_or_wrong_SDK_is_reported_with_its_download_page()
    {
        File.WriteAllText(PathOf("bad-sdk"), "");
        var other = await RunAsync("check");
        File.Delete(PathOf("programs/dotnet"));
        var none = await RunAsync("check");

        const string Install = "Install it from https://dotnet.microsoft.com/download/dotnet/10.0 and start again.\n";
        Assert.Equal((1, "", $"global.json asks for the .NET 10.0 SDK, found: 8.0.400. {Install}"), other);
        Assert.Equal((1, "", $"The .NET 10.0 SDK is missing. {Install}"), none);
    }

    [Theory]
    [InlineData("")] // Without apt.
    [InlineData("exit 100")] // Without a network.
    public async Task Missing_redis_server_is_reported_but_does_not_stop_the_lab(string apt)
    {
        if (apt.Length > 0)
            Script.Write(PathOf("programs/apt-get"), $"#!/bin/sh\n{apt}\n");

        var (exitCode, output, error) = await RunAsync("up");

        Assert.Equal((0, "<up>"), (exitCode, output));
        Assert.Contains(
            "redis-server is missing and could not be installed: `apt install redis-server`",
            error,
            StringComparison.Ordinal
        );
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Read_only_checkout_works_only_once_it_is_built(bool isBuilt)
    {
        if (isBuilt)
            await RunAsync("check");
        ChangeMode("a+rX,a-w");
        // Root ignores permissions.
        string[] nobody = Environment.IsPrivilegedProcess
            ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
            : [];

        using var process = Start([.. nobody, "bash", "../lab", "check"]);
        var (exitCode, output, error) = await process.EndAsync();

        Assert.Equal(isBuilt ? (0, "<check>") : (1, ""), (exitCode, output));
        Assert.Equal(
            isBuilt
                ? ""
                : $"The lab has to be built first, and {PathOf("artifacts")} cannot be written. "
                    + "Build it where it can be, and start again.\n",
            error
        );
    }

    private string[] Builds => File.Exists(PathOf("builds")) ? File.ReadAllLines(PathOf("builds")) : [];

    private string PathOf(string file) => Path.Combine(_checkout.FullName, file);

    private void ChangeMode(string mode)
    {
        using var chmod = Process.Start("chmod", ["-R", mode, _checkout.FullName]);
        chmod.WaitForExit();
    }

    private async Task<(int ExitCode, string Output, string Error)> RunAsync(params string[] words)
    {
        using var process = Start(["bash", "../lab", .. words]);
        return await process.EndAsync();
    }

    private Process Start(params string[] command)
    {
        var start = new ProcessStartInfo(Executable.OnPath(command[0])!, command[1..])
        {
            WorkingDirectory = PathOf("services"), // The working directory need not be the checkout.
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment["PATH"] = PathOf("programs");
        return Process.Start(start)!;
    }
}
