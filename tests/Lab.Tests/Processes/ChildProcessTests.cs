namespace DroneDelivery.Lab.Tests.Processes;

public sealed class ChildProcessTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("lab-test").FullName;

    private string LogFile => Path.Combine(_folder, "log");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Exited_process_is_reported_with_exit_code_and_last_output()
    {
        await using var process = ChildProcess.Start(
            "talker",
            LogFile,
            _folder,
            new Dictionary<string, string> { ["KNOB"] = "8" },
            ["sh", "-c", "echo $$ $KNOB; echo two >&2; exit 7"]
        );

        var exitCode = await process.Ended;

        Assert.Equal((7, false), (exitCode, process.IsStopping));
        var crash = new CrashException(process.Name, exitCode, process.Log);
        Assert.Contains("talker exited unexpectedly with exit code 7", crash.Message, StringComparison.Ordinal);
        Assert.EndsWith("two", crash.Message, StringComparison.Ordinal);
        Assert.Contains($"{process.Id} 8", await File.ReadAllLinesAsync(LogFile, Cancel));
    }

    [Fact]
    public async Task Output_beyond_the_pipe_buffer_does_not_block_a_program()
    {
        var (exitCode, output, error) = await Executable.RunAsync(
            "sh",
            ["-c", "head -c 200000 /dev/zero >&2; echo bye; exit 3"],
            Cancel
        );

        Assert.Equal((3, "bye\n", 200_000), (exitCode, output, error.Length));
    }

    [Theory]
    [InlineData("echo bye; exit 0", 60_000, 0)]
    [InlineData("", 200, 128 + 9)] // It ignores the signal, so it is killed.
    public async Task Stop_sends_SIGTERM_before_SIGKILL(string whenAsked, int patience, int exitCode)
    {
        await using var process = ChildProcess.Start(
            "asked",
            LogFile,
            _folder,
            new Dictionary<string, string>(),
            ["sh", "-c", $"trap '{whenAsked}' TERM; echo ready; while :; do sleep 0.05; done"]
        );
        await UntilAsync(() =>
            File.Exists(LogFile) && File.ReadAllText(LogFile).Contains("ready", StringComparison.Ordinal)
        );

        await process.StopAsync(TimeSpan.FromMilliseconds(patience));

        Assert.Equal((exitCode, true, false), (await process.Ended, process.IsStopping, IsRunning(process.Id)));
        Assert.Equal(
            exitCode == 0,
            (await File.ReadAllTextAsync(LogFile, Cancel)).Contains("bye", StringComparison.Ordinal)
        );
    }
}
