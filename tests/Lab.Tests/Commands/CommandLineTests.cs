namespace DroneDelivery.Lab.Tests.Commands;

[Trait("tier", "slow")]
public sealed class CommandLineTests
{
    [Theory]
    [InlineData("up")]
    [InlineData("collect", "--port", "0")]
    public async Task Unwritable_folder_is_reported_in_one_line_with_the_variable(params string[] verb)
    {
        var file = Path.GetTempFileName();
        await using (var lab = new LabProcess { ArtifactsVariable = Path.Combine(file, "artifacts") })
        {
            var (code, output, error) = await lab.InvokeAsync(verb);

            Assert.Equal((1, ""), (code, output));
            AssertHas(error, file, "Set LAB_ARTIFACTS", "to a writable folder");
            Assert.DoesNotContain('\n', error.TrimEnd());
        }

        File.Delete(file);
    }

    [Fact]
    public async Task Report_prints_its_path_on_a_machine_without_a_display()
    {
        await using var lab = new LabProcess();

        var folder = Path.Combine(lab.Artifacts, "runs", "2030-01-01T08-00-00-4");
        RunFolder.Write(folder, ComputedRun.Run("run 4"));

        var (code, output, error) = await lab.RunAsync("report", "--open");

        var page = output.TrimEnd();
        Assert.True(File.Exists(page), page);
        Assert.EndsWith($"No browser could be opened (this machine has no display). Open it yourself: {page}\n", error);
        Assert.Equal(0, code);
    }

    [Fact]
    public async Task Send_names_the_unreachable_application()
    {
        await using var lab = new LabProcess();
        Directory.CreateDirectory(Path.Combine(lab.Artifacts, "lab"));
        await using var held = new FileStream(
            Path.Combine(lab.Artifacts, "lab", "lock"),
            FileMode.Create,
            FileAccess.ReadWrite,
            FileShare.None
        );
        var ingestion = new ReplicaState("ingestion", 0, 0, new Uri($"http://127.0.0.1:{5100 + lab.PortOffset}/"));
        await File.WriteAllTextAsync(
            Path.Combine(lab.Artifacts, "lab", "state.json"),
            JsonSerializer.Serialize(new LabState("", [ingestion]), JsonSerializerOptions.Web),
            Cancel
        );

        var sent = await lab.RunAsync("send", "-n", "5");
        var through = await lab.InvokeAsync("send", "--through", "gateway");

        Assert.Equal(1, sent.ExitCode);
        Assert.Contains("connection refused", sent.Error, StringComparison.Ordinal);
        Assert.Equal(
            (1, "The gateway isn't running. Start the application with it: `./lab up --with gateway`."),
            (through.ExitCode, through.Error.Trim())
        );
    }

    [Theory]
    [InlineData(5400, "Delivery 0")]
    [InlineData(5080, "the telemetry collector")]
    [InlineData(5600, "Gateway 0", "--with", "gateway")]
    public async Task Port_in_use_is_named_with_the_option_that_helps(int port, string owner, params string[] more)
    {
        await using var lab = new LabProcess();
        using var listener = new System.Net.Sockets.TcpListener(System.Net.IPAddress.Loopback, port + lab.PortOffset);
        listener.Start();

        var (code, _, error) = await lab.InvokeAsync(["up", "--port-offset", $"{lab.PortOffset}", .. more]);

        Assert.Equal(1, code);
        AssertHas(error, $"Port {port + lab.PortOffset}, for {owner}, is in use.", "--port-offset");
        foreach (Match option in Regex.Matches(error, "--[a-z-]+"))
            Assert.Empty(LabCommand.Parse(["up", option.Value, "1000"]).Errors);
    }

    [Fact]
    public async Task Missing_program_is_named_before_anything_starts()
    {
        await using var lab = new LabProcess { Path = "/nowhere" };

        var (code, output, error) = await lab.RunAsync("up", "--port-offset", $"{lab.PortOffset}");

        Assert.Equal((1, ""), (code, output));
        Assert.StartsWith(
            "redis-server is not on PATH. Install it: `apt install redis-server`",
            error,
            StringComparison.Ordinal
        );
        Assert.DoesNotContain('\n', error.TrimEnd());
        Assert.False(Directory.Exists(Path.Combine(lab.Artifacts, "lab", "up", "logs")));
    }
}
