using System.Globalization;

namespace DroneDelivery.Lab.Tests.Commands;

[Trait("tier", "slow")]
public sealed class CommandLineTests
{
    [Fact]
    public async Task Up_send_down_take_a_person_through_the_application()
    {
        SmokeSummary.RequireK6();
        await using var lab = new LabProcess();
        using var up = await lab.UpAsync("--replicas", "workflow=2");

        var before = await QueueAsync(lab);
        var byHand = await TypedByHand.EverythingAsync(lab.Guide);
        var sent = await lab.RunAsync("send", "-n", "50");
        var queue = await QueueAsync(lab);
        var second = await lab.RunAsync("up", "--port-offset", $"{lab.PortOffset}");
        var processes = lab.State.Replicas.Select(replica => replica.ProcessId).ToList();
        var down = await lab.RunAsync("down");

        Assert.True(sent.ExitCode == 0, sent.Output);
        Assert.Equal((100, 100), SmokeSummary.ChecksOf(sent.Output));
        // On a busy machine, a send can time out although its message arrives. The retry then adds another message.
        var retried = await PostsAsync(lab, "resultCode != '202'");
        Assert.InRange(queue.Since(before).Incoming, byHand + 50, byHand + 50 + retried);
        Assert.Equal(6, processes.Count);
        Assert.Equal(1, second.ExitCode);
        Assert.StartsWith("Another lab is running (`lab up`, process", second.Error, StringComparison.Ordinal);
        Assert.Equal((0, "Stopped."), (down.ExitCode, down.Output.Trim()));
        await up.WaitForExitAsync(Cancel);
        Assert.Equal(0, up.ExitCode);
        Assert.DoesNotContain(processes, IsRunning);
        Assert.False(File.Exists(Path.Combine(lab.Artifacts, "lab", "state.json")));
        Assert.All(Directory.GetFiles(Path.Combine(lab.Artifacts, "lab", "up", "logs")), log =>
            Assert.DoesNotContain("refuses whatever it is sent", File.ReadAllText(log), StringComparison.Ordinal)
        );
        Assert.Equal(byHand + 50, await PostsAsync(lab, "resultCode == '202'"));
    }

    private static async Task<int> PostsAsync(LabProcess lab, string condition)
    {
        var posts = await lab.RunAsync(
            "query",
            "--run",
            Path.Combine(lab.Artifacts, "lab", "up"),
            "--format",
            "csv",
            "-e",
            $"requests | where name startswith 'POST' and {condition} | count"
        );
        return int.Parse(posts.Output.TrimEnd().Split('\n')[^1], CultureInfo.InvariantCulture);
    }

    private static async Task<QueueCounters> QueueAsync(LabProcess lab)
    {
        using var http = Loopback.CreateClient();
        var broker = new BusConnection(lab.State.BrokerConnectionString).LocalBroker!;
        return (await BrokerCounters.ReadAsync(http, broker, Cancel)).Queue;
    }

    [Fact]
    public async Task A_killed_lab_leaves_no_process_behind_and_the_next_one_starts()
    {
        await using var lab = new LabProcess();
        using var up = await lab.UpAsync();
        var processes = lab.State.Replicas.Select(replica => replica.ProcessId).ToList();
        Assert.All(processes, process => Assert.True(IsRunning(process)));

        up.Kill(); // as kill -9

        await UntilAsync(() => !processes.Exists(IsRunning));
        var ports = new Ports(lab.PortOffset);
        await UntilAsync(() => Ports.IsFree(ports.Broker) && Ports.IsFree(ports.Redis));
        Assert.Equal(1, (await lab.RunAsync("send")).ExitCode);
        Assert.Equal(
            (0, "Nothing is running."),
            (await lab.RunAsync("down")) is var (code, output, _) ? (code, output.Trim()) : default
        );
        using var again = await lab.UpAsync();
        Assert.False(again.HasExited);
    }

    [Fact]
    public async Task A_replica_that_dies_is_reported_as_a_crash_with_its_last_words()
    {
        await using var lab = new LabProcess();
        using var up = await lab.UpAsync("--replicas", "workflow=2");
        Kill(lab.State.Replicas.First(replica => replica.Service == "workflow").ProcessId);

        await up.StandardError.SaidAsync("workflow-0 ended by itself with exit code 137.");
        Assert.Equal(0, (await lab.RunAsync("send", "-n", "5")).ExitCode);
        await up.StandardError.SaidAsync("workflow-0 is restarted in 1 s.");
        await up.StandardError.SaidAsync("workflow-0 is ready again.");
    }

    [Theory]
    [InlineData("up")]
    [InlineData("collect", "--port", "0")]
    public async Task A_folder_that_cannot_be_written_is_said_in_one_line_with_the_variable_that_helps(
        params string[] verb
    )
    {
        var file = Path.GetTempFileName();
        await using (var lab = new LabProcess { ArtifactsTold = Path.Combine(file, "artifacts") })
        {
            var (code, output, error) = await lab.RunAsync(verb);

            Assert.Equal((1, ""), (code, output));
            AssertHas(error, file, "Set LAB_ARTIFACTS to a folder");
            Assert.DoesNotContain('\n', error.TrimEnd());
        }

        File.Delete(file);
    }

    [Fact]
    public async Task On_a_machine_without_a_display_the_file_that_somebody_can_open_is_named()
    {
        await using var lab = new LabProcess();

        await ImitatedRun.KeepAsync(Path.Combine(lab.Artifacts, "runs", "2030-01-01T08-00-00-4"));

        var (code, output, error) = await lab.RunAsync("report", "--open");

        var page = output.TrimEnd();
        Assert.True(File.Exists(page), page);
        Assert.EndsWith($"No browser could be opened (this machine has no display). Open it yourself: {page}\n", error);
        Assert.Equal(0, code);
    }

    [Fact]
    public async Task Send_names_the_application_that_does_not_answer()
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
        var through = await lab.RunAsync("send", "--through", "gateway");

        Assert.Equal(1, sent.ExitCode);
        Assert.Contains("connection refused", sent.Error, StringComparison.Ordinal);
        Assert.Equal(
            (1, "The gateway does not run. Start the application with it: `./lab up --with gateway`."),
            (through.ExitCode, through.Error.Trim())
        );
    }

    [Theory]
    [InlineData(5400, "Delivery 0")]
    [InlineData(5080, "the telemetry collector")]
    [InlineData(5600, "Gateway 0", "--with", "gateway")]
    public async Task A_port_in_use_is_named_with_the_option_that_helps(int port, string owner, params string[] more)
    {
        await using var lab = new LabProcess();
        using var listener = new System.Net.Sockets.TcpListener(System.Net.IPAddress.Loopback, port + lab.PortOffset);
        listener.Start();

        var (code, _, error) = await lab.RunAsync(["up", "--port-offset", $"{lab.PortOffset}", .. more]);

        Assert.Equal(1, code);
        AssertHas(error, $"Port {port + lab.PortOffset}, for {owner}, is in use.", "--port-offset");
        foreach (Match option in Regex.Matches(error, "--[a-z-]+"))
            Assert.Empty(LabCommand.Parse(["up", option.Value, "1000"]).Errors);
    }

    [Fact]
    public async Task A_program_that_is_missing_is_told_with_the_way_to_install_it_and_nothing_is_started()
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
