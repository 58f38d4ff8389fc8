using System.Globalization;
using System.Net.Sockets;
using Azure.Messaging.ServiceBus;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Tests.Processes;

public sealed class NoAnswerTests
{
    [Fact]
    public async Task Replica_is_gone_when_its_port_is_closed()
    {
        using var http = new HttpClient();
        using var port = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        port.Bind(new IPEndPoint(IPAddress.Loopback, 0)); // taken, so that nobody else gets it, and not listened at
        var nobody = new Uri($"http://{port.LocalEndPoint}/");
        var replica = new ReplicaState("delivery", 0, 0, nobody);

        Assert.Equal("gone", (await ReplicaStatus.ReadAsync(http, replica, history: null, Cancel)).State);
    }

    /// <summary>The second process does not look after the first, its child: that stays a zombie, whose files cannot be read.</summary>
    [Fact]
    public async Task A_replica_that_ends_while_it_is_looked_at_has_no_memory()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Elsewhere the lab does not ask for it.");
        var start = new ProcessStartInfo("sh", ["-c", "sleep 600 & echo $!; exec sleep 600"])
        {
            RedirectStandardOutput = true,
        };
        using var parent = Process.Start(start)!;
        var ended = int.Parse((await parent.StandardOutput.ReadLineAsync(Cancel))!, CultureInfo.InvariantCulture);
        await UntilAsync(() => File.ReadAllText($"/proc/{parent.Id}/comm") == "sleep\n");
        Kill(ended);
        await UntilAsync(() => File.ReadAllText($"/proc/{ended}/stat").Contains(") Z ", StringComparison.Ordinal));
        using var http = new HttpClient();

        var status = await ReplicaStatus.ReadAsync(
            http,
            new("delivery", 0, ended, new("http://127.0.0.1:1/")),
            history: null,
            Cancel
        );

        Assert.Null(status.Memory);
        parent.Kill();
    }

    [Fact]
    public async Task Status_queries_all_replicas_concurrently()
    {
        const int Count = 8;
        var queries = 0;
        var all = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var replicas = LabHost.Create("http://127.0.0.1:0", mostBytes: 1 << 20);
        replicas.MapGet("/health/ready", async (HttpContext context) =>
        {
            if (Interlocked.Increment(ref queries) == Count)
                all.SetResult();
            await all.Task.WaitAsync(context.RequestAborted); // each response waits for the last query
        });
        await replicas.StartAsync(Cancel);
        var state = StateOf(new(replicas.Urls.Single()), "127.0.0.1:1", Count);

        var status = await LabStatus.ReadAsync(state, TimeSpan.FromMinutes(1), Cancel);

        Assert.All(status.Replicas, replica => Assert.Equal(ReplicaStatus.Ready, replica.State));
    }

    [Fact]
    public async Task Status_reports_processes_that_do_not_respond()
    {
        using var hangs = new TcpListener(IPAddress.Loopback, 0);
        hangs.Start();
        var address = (IPEndPoint)hangs.LocalEndpoint;
        var state = StateOf(new($"http://{address}/"), $"{address}", count: 2);

        var status = await LabStatus.ReadAsync(state, TimeSpan.FromMilliseconds(100), Cancel);

        Assert.Equal((null, null, false), (status.Queue, status.Redis, status.IsWell));
        Assert.All(status.Replicas, replica => Assert.Equal("does not answer", replica.State));
    }

    private static LabState StateOf(Uri url, string redis, int count)
    {
        var replicas = Enumerable
            .Range(0, count)
            .Select(replica => new ReplicaState("delivery", replica, Environment.ProcessId, url));
        return new("up", 1, DateTimeOffset.UnixEpoch, "", url, "", redis, [.. replicas]);
    }

    [Theory]
    [InlineData(false, 2)]
    [InlineData(true, 3)] // one that was started again has counted nothing of what was before
    public async Task What_the_broker_counted_before_is_left_out_as_long_as_it_is_the_same_broker(
        bool wasRestarted,
        long incoming
    )
    {
        await using var broker = await BrokerFixture.StartAsync(cancellationToken: Cancel);
        await QueuePreload.SendAsync(
            broker.ConnectionString,
            BrokerCounters.QueueName,
            count: 3,
            instructionsLength: 0,
            due: default,
            Cancel
        );
        var state = new LabState(
            "up",
            1,
            DateTimeOffset.UnixEpoch,
            "",
            new BusConnection(broker.ConnectionString).LocalBroker!,
            "",
            "127.0.0.1:1",
            []
        )
        {
            Baseline = QueueCounters.Zero with { Incoming = 1 },
            Histories = wasRestarted
                ? new Dictionary<string, ProcessHistory> { ["broker"] = new(ProcessHistory.Running, 1, 137) }
                : new Dictionary<string, ProcessHistory>(),
        };

        // A broker on a busy machine answers too late at times.
        var status = await UntilAsync(() => LabStatus.ReadAsync(state, Cancel), status => status.Queue is not null);

        Assert.Equal(incoming, status.Queue!.Incoming);
        Assert.Equal((null, false), (status.Redis, status.IsWell));
    }

    [Fact]
    public async Task A_Redis_that_hangs_once_it_is_connected_is_no_wait_without_end()
    {
        await using var redis = await RedisFixture.StartAsync(Cancel);
        await redis.CommandAsync("CLIENT PAUSE 600000 WRITE", Cancel);

        await Assert.ThrowsAsync<TimeoutException>(() =>
            RedisServer.ClearAsync(redis.ConnectionString, TimeSpan.FromMilliseconds(200)).WaitAsync(Cancel)
        );
    }

    [Fact]
    public async Task A_frozen_Redis_does_not_keep_the_application_from_ending()
    {
        Assert.SkipUnless(RedisFixture.IsInstalled, RedisFixture.HowToInstall);
        using var folder = new OwnFolder();
        var plan = new ApplicationPlan(
            folder.Path,
            new Ports(FreePorts.Offset()),
            KnobSet.Empty,
            DeclaredEnvironment.None,
            Seed: 1
        );
        var application = await Application.StartStoresAsync(plan, new Progress<(int, int)>(), Cancel);
        var redis = application.Processes.Single(process => process.Name == "redis");
        await RunningApplication.SignalAsync(redis, "STOP");

        await application.DisposeAsync();

        Assert.Equal((false, false), (IsRunning(redis.Id), Directory.Exists(plan.Data)));
    }

    [Fact]
    public async Task A_queue_that_is_emptied_has_no_dead_letters_left_and_one_whose_receiver_keeps_a_message_is_not_emptied_for_ever()
    {
        await using var broker = await DeadLettersOnBroker.StartAsync();
        await broker.DeadLetterAsync("dead");
        await using var client = new ServiceBusClient(broker.Connection);
        await using var sender = client.CreateSender(BrokerCounters.QueueName);
        await using var receiver = client.CreateReceiver(BrokerCounters.QueueName);
        await sender.SendMessageAsync(new ServiceBusMessage("waiting") { MessageId = "waiting" }, Cancel);
        using var http = Loopback.CreateClient();
        var queue = new QueueControl(http, new BusConnection(broker.Connection).LocalBroker!);
        var before = await queue.ReadAsync(Cancel);

        await queue.PurgeAsync(TimeProvider.System, Cancel);

        var after = await queue.ReadAsync(Cancel);
        Assert.Equal((1, 1, 0, 0), (before.Queued, before.DeadLetter, after.Queued, after.DeadLetter));

        await sender.SendMessageAsync(new ServiceBusMessage("kept") { MessageId = "kept" }, Cancel);
        Assert.NotNull(await receiver.ReceiveMessageAsync(cancellationToken: Cancel));
        var end = await Assert.ThrowsAsync<LabException>(() => queue.PurgeAsync(new FleetingTime(), Cancel));

        Assert.StartsWith("1 messages are still in the queue after 6 minutes", end.Message, StringComparison.Ordinal);
    }
}
