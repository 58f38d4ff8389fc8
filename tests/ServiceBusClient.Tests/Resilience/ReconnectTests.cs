using System.Collections.Concurrent;
using DroneDelivery.LocalServiceBus;
using DroneDelivery.LocalServiceBus.Entities;

namespace Azure.Messaging.ServiceBus.Tests.Resilience;

public sealed class ReconnectTests : BusTest
{
    [Fact]
    public async Task Nothing_that_was_reported_as_sent_is_lost_when_connections_drop()
    {
        var queue = Broker.CreateQueue();
        var sender = Sender(queue);
        using var stop = new CancellationTokenSource();
        var reported = new ConcurrentBag<string>();
        var senders = Enumerable.Range(0, 4).Select(lane => SendUntilAsync(sender, lane, reported, stop.Token)).ToArray();

        for (var drop = 1; drop <= 5; drop++)
        {
            var before = reported.Count;
            await Eventually.HoldsAsync(() => reported.Count > before + 20);
            Broker.Broker.DropConnections();
        }

        var last = reported.Count;
        await Eventually.HoldsAsync(() => reported.Count > last + 20);
        await stop.CancelAsync();
        await Task.WhenAll(senders);

        Assert.Subset(await IdsAsync(Client, queue.Name), reported.ToHashSet());
    }

    [Fact]
    public async Task Nothing_that_was_reported_as_sent_is_lost_when_the_broker_restarts()
    {
        var port = Broker.Broker.Address.Port;
        var first = Broker.CreateQueue(name: "orders");
        var sender = Sender(first);
        using var stop = new CancellationTokenSource();
        var reported = new ConcurrentBag<string>();
        var senders = Enumerable.Range(0, 4).Select(lane => SendUntilAsync(sender, lane, reported, stop.Token)).ToArray();
        await Eventually.HoldsAsync(() => reported.Count > 50);

        await Broker.DisposeAsync();
        var before = first.Counts().Incoming;
        var reportedBefore = reported.Count;
        await using var second = await StartAgainAsync(port);
        second.Entities.CreateQueue(new QueueOptions("orders"));
        await Eventually.HoldsAsync(() => reported.Count > reportedBefore + 100);
        await stop.CancelAsync();
        await Task.WhenAll(senders);

        // What the second broker has not, the first one had: the first so many of each lane, all that it took but one in flight per lane.
        var missing = reported.Except(await IdsAsync(Client, "orders")).ToHashSet();
        Assert.InRange(missing.Count, before - senders.Length, before);
        for (var lane = 0; lane < senders.Length; lane++)
        {
            var ofLane = missing.Count(id => id.StartsWith($"{lane}-", StringComparison.Ordinal));
            Assert.Subset(missing, Enumerable.Range(0, ofLane).Select(number => $"{lane}-{number}").ToHashSet());
        }
    }

    [Fact]
    public async Task A_waiting_receive_goes_on_after_a_drop()
    {
        var queue = Broker.CreateQueue();
        var waiting = OneAsync(Receiver(queue));
        await Eventually.HoldsAsync(async () => (await CountersAsync(queue)).GetProperty("links").GetArrayLength() == 1);

        Broker.Broker.DropConnections();
        await using var other = NewClient();
        await other.CreateSender(queue.Name).SendMessageAsync(new ServiceBusMessage("x"), Cancelled);

        Assert.Equal("x", (await waiting).Body.ToString());
    }

    [Fact]
    public async Task A_processor_handles_every_message_whatever_drops()
    {
        var queue = Broker.CreateQueue(options => options with { LockDuration = TimeSpan.FromSeconds(1), MaxDeliveryCount = 100 });
        await SendAsync(queue, 300);
        var handled = new ConcurrentDictionary<string, int>();
        var processor = Owned(Client.CreateProcessor(
            queue.Name, new ServiceBusProcessorOptions { MaxConcurrentCalls = 4, PrefetchCount = 20 }));
        processor.ProcessErrorAsync += _ => Task.CompletedTask;
        processor.ProcessMessageAsync += async args =>
        {
            await Task.Delay(2);
            handled.AddOrUpdate(args.Message.MessageId!, 1, (_, times) => times + 1);
        };

        await processor.StartProcessingAsync(Cancelled);
        for (var drop = 1; drop <= 3; drop++)
        {
            var goal = Math.Min(queue.Counts().Completed + 30, 300);
            await Eventually.HoldsAsync(() => queue.Counts().Completed >= goal);
            Broker.Broker.DropConnections();
        }

        await Eventually.HoldsAsync(() => queue.Counts().Completed == 300);
        Assert.Equal(300, handled.Count);
    }

    [Fact]
    public async Task What_was_received_before_a_reconnect_is_settled_over_the_management_node()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 4);
        var receiver = Receiver(queue);
        ServiceBusReceivedMessage[] messages =
            [await OneAsync(receiver), await OneAsync(receiver), await OneAsync(receiver), await OneAsync(receiver)];

        Assert.Equal(1, Broker.Broker.DropConnections());
        await receiver.CompleteMessageAsync(messages[0], Cancelled);
        await receiver.AbandonMessageAsync(messages[1], new Dictionary<string, object> { ["x"] = 1 }, Cancelled);
        await receiver.DeadLetterMessageAsync(messages[2], "why", "how", Cancelled);
        await receiver.DeferMessageAsync(messages[3], cancellationToken: Cancelled);
        var again = await OneAsync(receiver);

        var counts = queue.Counts();
        Assert.Equal((1, 1, 1, 1), (counts.Completed, counts.Abandoned, counts.DeadLettered, counts.Deferred));
        Assert.Equal(("2", 2, 1), (again.MessageId, again.DeliveryCount, again.ApplicationProperties["x"]));
    }

    // Somebody else on this machine may have been given the port meanwhile, for a connection of a moment.
    private static async Task<LocalServiceBus> StartAgainAsync(int port)
    {
        LocalServiceBus? started = null;
        await Eventually.HoldsAsync(async () =>
        {
            try
            {
                started = await LocalServiceBus.StartAsync(new LocalServiceBusOptions { Port = port }, Cancelled);
            }
            catch (BrokerStartException error) when (error.Message.StartsWith($"Port {port} is in use", StringComparison.Ordinal))
            {
            }
            return started is not null;
        });
        return started!;
    }

    private static async Task SendUntilAsync(
        ServiceBusSender sender, int lane, ConcurrentBag<string> reported, CancellationToken stopping)
    {
        for (var number = 0; !stopping.IsCancellationRequested; number++)
        {
            var id = $"{lane}-{number}";
            await sender.SendMessageAsync(new ServiceBusMessage(id) { MessageId = id }, Cancelled);
            reported.Add(id);
        }
    }

    private static async Task<HashSet<string>> IdsAsync(ServiceBusClient client, string queue)
    {
        await using var receiver = client.CreateReceiver(queue);
        var ids = new HashSet<string>();
        while (await receiver.PeekMessagesAsync(250, cancellationToken: Cancelled) is { Count: > 0 } messages)
            ids.UnionWith(messages.Select(message => message.MessageId!));
        return ids;
    }
}
