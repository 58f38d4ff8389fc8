namespace DroneDelivery.Lab.Tests.Processes;

public sealed class ChildProcessTests : IDisposable
{
    private static readonly Dictionary<string, string> NoVariables = [];
    private readonly string _folder = Directory.CreateTempSubdirectory("lab-test").FullName;

    private string LogFile => Path.Combine(_folder, "log");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task A_process_that_ends_by_itself_is_reported_with_its_exit_code_and_last_words()
    {
        await using var process = ChildProcess.Start(
            "talker", LogFile, _folder, NoVariables, ["sh", "-c", "echo one; echo two >&2; exit 7"]);

        var exitCode = await process.Ended;

        Assert.Equal((7, false), (exitCode, process.IsStopping));
        var crash = new CrashException(process.Name, exitCode, process.Log);
        Assert.Contains("talker ended by itself with exit code 7", crash.Message, StringComparison.Ordinal);
        Assert.EndsWith("two", crash.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Its_process_id_is_that_of_the_command_and_it_gets_its_variables()
    {
        await using var process = ChildProcess.Start(
            "self", LogFile, _folder, new Dictionary<string, string> { ["KNOB"] = "7" }, ["sh", "-c", "echo $$ $KNOB"]);
        await process.Ended;

        Assert.Equal($"{process.Id} 7", (await File.ReadAllTextAsync(LogFile, Cancel)).Trim());
    }

    [Fact]
    public async Task Stopping_asks_first()
    {
        await using var process = ChildProcess.Start(
            "polite", LogFile, _folder, NoVariables,
            ["sh", "-c", "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done"]);
        await UntilAsync(() => File.Exists(LogFile) && File.ReadAllText(LogFile).Contains("ready", StringComparison.Ordinal));

        await process.StopAsync(TimeSpan.FromSeconds(60));

        Assert.Equal((0, true), (await process.Ended, process.IsStopping));
        Assert.Contains("bye", await File.ReadAllTextAsync(LogFile, Cancel), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_process_that_does_not_listen_is_killed()
    {
        await using var process = ChildProcess.Start(
            "deaf", LogFile, _folder, NoVariables, ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done"]);
        await UntilAsync(() => File.Exists(LogFile) && File.ReadAllText(LogFile).Contains("ready", StringComparison.Ordinal));

        await process.StopAsync(TimeSpan.FromMilliseconds(200));

        Assert.Equal(128 + 9, await process.Ended);
        Assert.False(IsRunning(process.Id));
    }
}
