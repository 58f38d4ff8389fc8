namespace DroneDelivery.Lab.Tests.Support;

/// <summary>The <c>lab</c> command as a person runs it: a process of its own, with its own folder and ports.</summary>
internal sealed class LabProcess : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly List<Process> _processes = [];

    public string Artifacts { get; } = Directory.CreateTempSubdirectory("lab-test").FullName;

    /// <summary>What the lab is told as LAB_ARTIFACTS; null: <see cref="Artifacts"/>.</summary>
    public string? ArtifactsTold { get; init; }

    /// <summary>Where the lab looks for programs; null: where the test does.</summary>
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
        using var process = Start(arguments, isTypedInto: input is not null);
        if (input is not null)
        {
            await process.StandardInput.WriteAsync(await input.ReadToEndAsync(Cancel));
            process.StandardInput.Close();
        }

        return await process.EndAsync();
    }

    /// <summary>Runs a verb with the same artifacts in the test's process.</summary>
    public Task<(int ExitCode, string Output, string Error)> TypeAsync(params string[] words) =>
        TypeAndAnswerAsync("", words);

    /// <param name="answer">The text that the verb reads from standard input.</param>
    public async Task<(int ExitCode, string Output, string Error)> TypeAndAnswerAsync(
        string answer,
        params string[] words
    )
    {
        Repository.ArtifactsOfFlow.Value = ArtifactsTold ?? Artifacts;
        return await LabInMemory.TypeAndAnswerAsync(answer, words);
    }

    public IReadOnlyList<string> Guide { get; private set; } = [];

    /// <summary>Starts <c>up</c> and returns when it has said all that it says once it runs.</summary>
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

    public Process Converse(params string[] arguments)
    {
        var process = Start(arguments, isTypedInto: true);
        _processes.Add(process);
        return process;
    }

    public async ValueTask DisposeAsync()
    {
        if (_processes.Count > 0)
            await TypeAsync("down");
        foreach (var process in _processes)
            process.Dispose();
        await DeleteArtifactsAsync();
    }

    /// <summary>What a killed lab had started ends a moment after it, and may write until then.</summary>
    private async Task DeleteArtifactsAsync()
    {
        for (var watch = Stopwatch.StartNew(); ; await Task.Delay(50))
        {
            try
            {
                Directory.Delete(Artifacts, recursive: true);
                return;
            }
            catch (IOException) when (watch.Elapsed < Patience)
            {
                // not empty: somebody has just written into it
            }
        }
    }

    private Process Start(IEnumerable<string> arguments, bool isTypedInto = false)
    {
        var start = new ProcessStartInfo(Repository.Dotnet, [typeof(LabException).Assembly.Location, .. arguments])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            RedirectStandardInput = isTypedInto,
        };
        start.Environment["LAB_ARTIFACTS"] = ArtifactsTold ?? Artifacts;
        Array.ForEach(["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"], name => start.Environment.Remove(name)); // nobody wants its pages opened
        if (Path is not null)
            start.Environment["PATH"] = Path;
        return Process.Start(start)!;
    }
}

internal static class Saying
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

    /// <summary>As Ctrl-C in a terminal: waits until the process ends, and kills it if it ignores the signal.</summary>
    /// <param name="isGroup">Whether the signal goes to the process group that the process leads.</param>
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

    public static async Task<string> SaidAsync(this StreamReader said, string line)
    {
        var all = new StringBuilder();
        while (await said.ReadLineAsync(Cancel) is { } next)
        {
            all.AppendLine(next);
            if (next.StartsWith(line, StringComparison.Ordinal))
                return all.ToString();
        }
        throw new InvalidOperationException($"It ended without saying: {line}\n{all}");
    }
}
