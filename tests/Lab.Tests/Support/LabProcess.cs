namespace DroneDelivery.Lab.Tests.Support;

/// <summary>The <c>lab</c> command in its own process, with its own folder and ports.</summary>
internal sealed class LabProcess : IAsyncDisposable
{
    private static readonly TimeSpan ExitTimeout = TimeSpan.FromSeconds(60);

    private readonly List<Process> _processes = [];

    public string Artifacts { get; } = Directory.CreateTempSubdirectory("lab-test").FullName;

    /// <summary>The value of LAB_ARTIFACTS; <c>null</c> for <see cref="Artifacts"/>.</summary>
    public string? ArtifactsVariable { get; init; }

    /// <summary>The PATH variable of the lab; <c>null</c> for that of the test.</summary>
    public string? Path { get; init; }

    public int PortOffset { get; } = FreePorts.Offset();

    public LabState State =>
        JsonSerializer.Deserialize<LabState>(
            File.ReadAllText(System.IO.Path.Combine(Artifacts, "lab", "state.json")),
            JsonSerializerOptions.Web
        )!;

    public Task<(int ExitCode, string Output, string Error)> RunAsync(params string[] arguments) =>
        RunAsync(input: null, arguments);

    public async Task<(int ExitCode, string Output, string Error)> RunAsync(
        TextReader? input,
        params string[] arguments
    )
    {
        using var process = Start(arguments, hasInput: input is not null);
        if (input is not null)
        {
            await process.StandardInput.WriteAsync(await input.ReadToEndAsync(Cancel));
            process.StandardInput.Close();
        }

        return await process.EndAsync();
    }

    /// <summary>Runs a verb with the same artifacts in the test's process.</summary>
    public Task<(int ExitCode, string Output, string Error)> InvokeAsync(params string[] words) =>
        InvokeWithInputAsync("", words);

    /// <param name="answer">The text that the verb reads from standard input.</param>
    public async Task<(int ExitCode, string Output, string Error)> InvokeWithInputAsync(
        string answer,
        params string[] words
    )
    {
        Repository.ArtifactsOfFlow.Value = ArtifactsVariable ?? Artifacts;
        return await LabInMemory.InvokeWithInputAsync(answer, words);
    }

    public IReadOnlyList<string> Guide { get; private set; } = [];

    /// <summary>Starts <c>up</c> and returns once its guide has been printed.</summary>
    public async Task<Process> UpAsync(params string[] arguments)
    {
        var process = Start(["up", "--port-offset", $"{PortOffset}", .. arguments]);
        _processes.Add(process);
        var guide = new List<string>();
        while (await process.StandardOutput.ReadLineAsync(Cancel) is { } line)
        {
            guide.Add(line);
            if (line.StartsWith("Or, in another terminal:", StringComparison.Ordinal))
                break;
        }

        Assert.True(
            guide is [var first, ..] && first.StartsWith("Running.", StringComparison.Ordinal),
            await WhyNotAsync(process, guide)
        );
        Guide = guide;
        return process;
    }

    private static async Task<string> WhyNotAsync(Process process, List<string> guide) =>
        guide is [] ? await process.StandardError.ReadToEndAsync(Cancel) : guide[0];

    public async Task<(Process Process, string FirstLine)> LaunchAsync(params string[] arguments)
    {
        var process = Start(arguments);
        _processes.Add(process);
        return (process, await process.StandardOutput.ReadLineAsync(Cancel) ?? "");
    }

    public Process StartInteractive(params string[] arguments)
    {
        var process = Start(arguments, hasInput: true);
        _processes.Add(process);
        return process;
    }

    public async ValueTask DisposeAsync()
    {
        if (_processes.Count > 0)
            await InvokeAsync("down");
        foreach (var process in _processes)
            process.Dispose();
        await DeleteArtifactsAsync();
    }

    /// <summary>The processes of a killed lab exit a moment later and may write until then.</summary>
    private async Task DeleteArtifactsAsync()
    {
        for (var watch = Stopwatch.StartNew(); ; await Task.Delay(50))
        {
            try
            {
                Directory.Delete(Artifacts, recursive: true);
                return;
            }
            catch (IOException) when (watch.Elapsed < ExitTimeout)
            {
                // The folder isn't empty: a process has just written to it.
            }
        }
    }

    private Process Start(IEnumerable<string> arguments, bool hasInput = false)
    {
        var start = new ProcessStartInfo(Repository.Dotnet, [typeof(LabException).Assembly.Location, .. arguments])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            RedirectStandardInput = hasInput,
        };
        start.Environment["LAB_ARTIFACTS"] = ArtifactsVariable ?? Artifacts;
        // Keeps browsers closed.
        Array.ForEach(["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"], name => start.Environment.Remove(name));
        if (Path is not null)
            start.Environment["PATH"] = Path;
        return Process.Start(start)!;
    }
}

internal static class TestProcess
{
    private static readonly TimeSpan InterruptTimeout = TimeSpan.FromSeconds(30);

    public static async Task<(int ExitCode, string Output, string Error)> RunAsync(
        string program,
        params string[] arguments
    )
    {
        using var process = Process.Start(
            new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true }
        )!;
        return await process.EndAsync();
    }

    public static async Task<(int ExitCode, string Output, string Error)> EndAsync(this Process process)
    {
        var output = process.StandardOutput.ReadToEndAsync(Cancel);
        var error = process.StandardError.ReadToEndAsync(Cancel);
        await process.WaitForExitAsync(Cancel);
        return (process.ExitCode, await output, await error);
    }

    /// <summary>
    /// Sends SIGINT, as Ctrl-C in a terminal does, waits until the process exits, and kills it if it ignores the
    /// signal.
    /// </summary>
    /// <param name="isGroup"><c>true</c> to signal the process group that the process leads.</param>
    public static async Task InterruptAsync(this Process process, bool isGroup = false)
    {
        var target = isGroup ? -process.Id : process.Id;
        using var kill = Process.Start("kill", ["-INT", "--", $"{target}"]);
        try
        {
            await process.WaitForExitAsync(Cancel).WaitAsync(InterruptTimeout, Cancel);
        }
        catch (TimeoutException)
        {
            process.Kill(entireProcessTree: true);
            Assert.Fail($"Still running {InterruptTimeout.TotalSeconds} s after SIGINT.");
        }
    }

    public static async Task<string> ReadUntilAsync(this StreamReader said, string line)
    {
        var all = new StringBuilder();
        while (await said.ReadLineAsync(Cancel) is { } next)
        {
            all.AppendLine(next);
            if (next.StartsWith(line, StringComparison.Ordinal))
                return all.ToString();
        }
        throw new InvalidOperationException($"The output ended without the line: {line}\n{all}");
    }
}
