using System.Globalization;

namespace DroneDelivery.Lab.Tests.Commands;

/// <summary>The application of <c>lab up</c>, as a user starts it.</summary>
[Trait("tier", "slow")]
public sealed class UpTests(UpTests.Running running) : IClassFixture<UpTests.Running>
{
    private readonly LabProcess _lab = running.Lab;

    [Fact]
    public async Task Guide_shows_commands_that_work() => Assert.Equal(2, await GuideCommands.RunAllAsync(_lab.Guide));

    [Fact]
    public async Task Send_reports_each_delivery()
    {
        SmokeSummary.RequireK6();
        var (start, before) = (TimeProvider.System.GetUtcNow(), await QueueAsync());

        var sent = await _lab.RunAsync("send", "-n", "50");

        Assert.True(sent.ExitCode == 0, sent.Output);
        Assert.Equal((100, 100), SmokeSummary.ChecksOf(sent.Output));
        await UntilAsync(() => PostsAsync("ingestion", start, "resultCode == '202'"), accepted => accepted == 50);
        // On a busy machine, a send can time out although its message arrives. The retry then adds another message.
        var retried = await PostsAsync("ingestion", start, "resultCode != '202'");
        Assert.InRange((await QueueAsync()).Since(before).Incoming, 50, 50 + retried);
    }

    [Fact]
    public async Task Send_uses_the_gateway_only_when_told_to()
    {
        SmokeSummary.RequireK6();
        var start = TimeProvider.System.GetUtcNow();

        var direct = await _lab.RunAsync("send", "-n", "5");
        var through = await _lab.RunAsync("send", "-n", "20", "--through", "gateway");

        Assert.Equal((10, 10), SmokeSummary.ChecksOf(direct.Output));
        Assert.Equal((40, 40), SmokeSummary.ChecksOf(through.Output));
        await UntilAsync(() => PostsAsync("ingestion", start, "resultCode == '202'"), accepted => accepted == 25);
        await UntilAsync(() => PostsAsync("gateway", start, "resultCode == '202'"), accepted => accepted == 20);
    }

    [Fact]
    public async Task Second_up_is_rejected_with_the_verb_and_process_of_the_first()
    {
        var (exitCode, _, error) = await _lab.InvokeAsync("up", "--port-offset", $"{_lab.PortOffset}");

        Assert.Equal(1, exitCode);
        Assert.StartsWith(
            $"Another lab is running (`lab up`, process {running.Up.Id})",
            error,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task Killed_replica_is_reported_and_restarted_while_others_work()
    {
        SmokeSummary.RequireK6();
        var errors = running.Up.StandardError;
        Kill(_lab.State.Replicas.First(replica => replica.Service == "workflow").ProcessId);

        await errors.ReadUntilAsync("workflow-0 exited unexpectedly with exit code 137.");
        Assert.Equal(0, (await _lab.RunAsync("send", "-n", "5")).ExitCode);
        await errors.ReadUntilAsync("workflow-0 restarts in 1 s.");
        await errors.ReadUntilAsync("workflow-0 is ready again.");
    }

    [Fact]
    public async Task Lab_starts_again_after_a_kill_and_stops_with_down()
    {
        await using var lab = new LabProcess();
        using var first = await lab.UpAsync();
        var killed = ProcessesOf(lab);
        Assert.All(killed, process => Assert.True(IsRunning(process)));

        first.Kill(); // As <c>kill -9</c> does.

        await UntilAsync(() => !killed.Exists(IsRunning));
        var ports = new Ports(lab.PortOffset);
        await UntilAsync(() => Ports.IsFree(ports.Broker) && Ports.IsFree(ports.Redis));
        Assert.Equal(1, (await lab.InvokeAsync("send")).ExitCode);
        Assert.Equal((0, "Nothing is running.\n", ""), await lab.InvokeAsync("down"));

        using var second = await lab.UpAsync();
        var stopped = ProcessesOf(lab);
        Assert.Equal(5, stopped.Count);
        Assert.Equal((0, "Stopped.\n", ""), await lab.RunAsync("down"));

        await second.WaitForExitAsync(Cancel);
        Assert.Equal(0, second.ExitCode);
        Assert.DoesNotContain(stopped, IsRunning);
        Assert.True(Ports.IsFree(ports.Of(Service.Ingestion, 0)), "Ingestion's port is in use.");
        Assert.False(File.Exists(Path.Combine(lab.Artifacts, "lab", "state.json")));
        Assert.False(Directory.Exists(Path.Combine(lab.Artifacts, "lab", "up", "data")));
    }

    private static List<int> ProcessesOf(LabProcess lab) =>
        [.. lab.State.Replicas.Select(replica => replica.ProcessId)];

    private async Task<int> PostsAsync(string service, DateTimeOffset start, string condition)
    {
        var posts = await _lab.InvokeAsync(
            "query",
            "--run",
            Path.Combine(_lab.Artifacts, "lab", "up"),
            "--format",
            "csv",
            "-e",
            $"requests | where timestamp > datetime({start.UtcDateTime:O}) and cloud_RoleName == '{service}' "
                + $"and name startswith 'POST' and {condition} | count"
        );
        Assert.True(posts.ExitCode == 0, posts.Error);
        return int.Parse(posts.Output.TrimEnd().Split('\n')[^1], CultureInfo.InvariantCulture);
    }

    private async Task<QueueCounters> QueueAsync()
    {
        using var http = Loopback.CreateClient();
        var broker = new BusConnection(_lab.State.BrokerConnectionString).LocalBroker!;
        return (await BrokerCounters.ReadAsync(http, broker, Cancel)).Queue;
    }

    public sealed class Running : IAsyncLifetime
    {
        internal LabProcess Lab { get; } = new();

        internal Process Up { get; private set; } = null!;

        public async ValueTask InitializeAsync() =>
            Up = await Lab.UpAsync("--with", "gateway", "--replicas", "workflow=2");

        public ValueTask DisposeAsync() => Lab.DisposeAsync();
    }
}
