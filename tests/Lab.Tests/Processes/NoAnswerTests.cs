using Azure.Messaging.ServiceBus;

namespace DroneDelivery.Lab.Tests.Processes;

public sealed class NoAnswerTests
{
    [Fact]
    public async Task Hanging_Redis_times_out()
    {
        await using var redis = await RedisFixture.StartAsync(Cancel);
        await redis.CommandAsync("CLIENT PAUSE 600000 WRITE", Cancel);

        await Assert.ThrowsAsync<TimeoutException>(() =>
            RedisServer.ClearAsync(redis.ConnectionString, TimeSpan.FromMilliseconds(200)).WaitAsync(Cancel)
        );
    }

    [Fact]
    public async Task Frozen_Redis_does_not_block_the_shutdown()
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
    public async Task Purge_removes_dead_letters_and_times_out_on_held_messages()
    {
        await using var broker = await BrokerFixture.StartAsync(cancellationToken: Cancel);
        await using var client = new ServiceBusClient(broker.ConnectionString);
        await using var sender = client.CreateSender(BrokerCounters.QueueName);
        await using var receiver = client.CreateReceiver(BrokerCounters.QueueName);
        await sender.SendMessageAsync(new ServiceBusMessage("dead"), Cancel);
        var dead = await receiver.ReceiveMessageAsync(cancellationToken: Cancel);
        await receiver.DeadLetterMessageAsync(dead, cancellationToken: Cancel);
        await sender.SendMessageAsync(new ServiceBusMessage("waiting") { MessageId = "waiting" }, Cancel);
        using var http = Loopback.CreateClient();
        var queue = new QueueControl(http, new BusConnection(broker.ConnectionString).LocalBroker!);
        var before = await queue.ReadAsync(Cancel);

        await queue.PurgeAsync(TimeProvider.System, Cancel);

        var after = await queue.ReadAsync(Cancel);
        Assert.Equal((1, 1, 0, 0), (before.Queued, before.DeadLetter, after.Queued, after.DeadLetter));

        await sender.SendMessageAsync(new ServiceBusMessage("kept") { MessageId = "kept" }, Cancel);
        Assert.NotNull(await receiver.ReceiveMessageAsync(cancellationToken: Cancel));
        var end = await Assert.ThrowsAsync<LabException>(() => queue.PurgeAsync(new FastTime(), Cancel));

        Assert.StartsWith("1 messages are still in the queue after 6 minutes", end.Message, StringComparison.Ordinal);
    }
}
