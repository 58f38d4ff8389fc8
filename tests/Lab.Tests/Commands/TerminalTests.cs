namespace DroneDelivery.Lab.Tests.Commands;

public sealed class TerminalTests
{
    private const string OneOfEach = "ingestion=1,workflow=1,package=1,dronescheduler=1,delivery=1";

    [Theory]
    [Trait("tier", "slow")]
    [InlineData("", "run", "1", "--replicas", OneOfEach)] // Its folder exists, but nothing else.
    [InlineData("stage 1  0:00", "run", "1", "--replicas", OneOfEach)] // Under load.
    [InlineData("", "up")] // While it starts.
    public async Task Ctrl_C_stops_a_run_or_application_and_all_its_processes(string said, params string[] verb)
    {
        await using var lab = new LabProcess();
        using var run = lab.StartInteractive([.. verb, "--port-offset", $"{lab.PortOffset}"]);
        if (said.Length > 0)
            await run.StandardError.ReadUntilAsync(said);
        else if (verb is ["up"])
            await Eventually.TrueAsync(async () => await ChildrenOfAsync(run.Id) is not []);
        else
            await UntilAsync(() => Directory.Exists(Path.Combine(lab.Artifacts, "runs")));
        var children = await ChildrenOfAsync(run.Id);

        var last = run.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        await run.InterruptAsync();

        Assert.Equal(130, run.ExitCode);
        Assert.True(
            said.Length == 0 || (await last).Contains("The run is incomplete. Its folder: ", StringComparison.Ordinal),
            await last
        );
        Assert.DoesNotContain(children, IsRunning);
    }

    [Fact]
    public async Task Terminal_output_fits_the_width_and_file_output_is_plain_text()
    {
        Assert.SkipUnless(
            OperatingSystem.IsLinux() && Executable.OnPath("script") is not null,
            "There is no `script` of util-linux."
        );
        var stages = $"'{Repository.Dotnet}' '{typeof(LabException).Assembly.Location}' stages";

        var (_, window, _) = await TestProcess.RunAsync("script", "-qec", $"stty cols 60; {stages}", "/dev/null");
        var (_, file, _) = await TestProcess.RunAsync("sh", "-c", stages);

        var lines = Regex.Replace(window, @"\x1b(\[[?\d;]*[a-zA-Z]|[=>])|\r", "").Split('\n');
        Assert.All(lines, line => Assert.InRange(line.Length, 0, 60));
        Assert.Contains(file.Split('\n'), line => line.Length > 60);
        Assert.DoesNotContain('\x1b', file);
    }

    [Fact]
    [Trait("tier", "slow")]
    public async Task Full_disk_ends_a_run_with_an_error()
    {
        Assert.SkipUnless(
            OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess,
            "Only root can make a small disk."
        );
        var disk = Directory.CreateTempSubdirectory("small-disk").FullName;
        await TestProcess.RunAsync("mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", disk);
        try
        {
            await using var lab = new LabProcess { ArtifactsVariable = disk };
            string[] run2 = ["run", "2", "--k", "16", "--set", "load.maxUsers=8", "--set", "load.duration=96"];
            using var run = lab.StartInteractive([
                .. run2,
                "--replicas",
                OneOfEach,
                "--port-offset",
                $"{lab.PortOffset}",
            ]);
            await run.StandardError.ReadUntilAsync("stage 2  0:00");
            var large = new byte[new DriveInfo(disk).AvailableFreeSpace - (8 << 20)];
            await File.WriteAllBytesAsync(Path.Combine(disk, "large"), large, TestContext.Current.CancellationToken);

            await run.StandardError.ReadUntilAsync("The disk is full: ");
            await run.WaitForExitAsync(TestContext.Current.CancellationToken);

            Assert.Equal(1, run.ExitCode);
        }
        finally
        {
            await TestProcess.RunAsync("umount", "--lazy", disk);
            Directory.Delete(disk);
        }
    }

    private static async Task<List<int>> ChildrenOfAsync(int processId)
    {
        var (_, children, _) = await TestProcess.RunAsync("ps", "-o", "pid=", "--ppid", $"{processId}");
        return
        [
            .. children
                .Split('\n', StringSplitOptions.RemoveEmptyEntries)
                .Select(line => int.Parse(line, provider: null)),
        ];
    }
}
