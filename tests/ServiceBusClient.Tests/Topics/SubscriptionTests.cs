using DroneDelivery.LocalServiceBus.Entities;

namespace Azure.Messaging.ServiceBus.Tests.Topics;

/// <summary>What is sent to a topic, and received from its subscriptions.</summary>
public sealed class SubscriptionTests : BusTest
{
    [Fact]
    public async Task Each_subscription_gets_its_own_copy_of_a_message()
    {
        CreateTopic("news", "a", "b");
        await SendAsync("news", "one");

        var first = Owned(Client.CreateReceiver("news", "a"));
        var second = Owned(Client.CreateReceiver("news", "b", new ServiceBusReceiverOptions { PrefetchCount = 5 }));
        await first.CompleteMessageAsync(await OneAsync(first), Cancelled);
        var message = await OneAsync(second);

        Assert.Equal(("one", "news/Subscriptions/b"), (message.Body.ToString(), second.EntityPath));
        Assert.Equal((1, 0), (CountsOf("news", "a").Completed, CountsOf("news", "b").Completed));
    }

    [Fact]
    public async Task A_subscription_has_a_dead_letter_queue()
    {
        CreateTopic("news", "a");
        await SendAsync("news", "one");
        var receiver = Owned(Client.CreateReceiver("news", "a"));
        await receiver.DeadLetterMessageAsync(await OneAsync(receiver), "why", cancellationToken: Cancelled);

        var dead = Owned(Client.CreateReceiver("news", "a", new ServiceBusReceiverOptions { SubQueue = SubQueue.DeadLetter }));

        Assert.Equal("why", (await OneAsync(dead)).DeadLetterReason);
    }

    [Fact]
    public async Task A_processor_handles_the_messages_of_a_subscription()
    {
        CreateTopic("news", "a");
        await SendAsync("news", "one");
        var processor = Owned(Client.CreateProcessor("news", "a"));
        processor.ProcessErrorAsync += _ => Task.CompletedTask;
        processor.ProcessMessageAsync += _ => Task.CompletedTask;

        await processor.StartProcessingAsync(Cancelled);

        await Eventually.HoldsAsync(() => CountsOf("news", "a").Completed == 1);
        Assert.Equal("news/Subscriptions/a", processor.EntityPath);
    }

    [Fact]
    public async Task A_subscription_with_sessions_is_received_from_by_session()
    {
        CreateTopic("news");
        Broker.Broker.Entities.CreateSubscription(QueueOptions.OfSubscription("news", "a") with { RequiresSession = true });
        await using var sender = Client.CreateSender("news");
        foreach (var session in new[] { "x", "y", "z" })
            await sender.SendMessageAsync(new ServiceBusMessage(session) { SessionId = session }, Cancelled);

        await using var named = await Client.AcceptSessionAsync("news", "a", "y", cancellationToken: Cancelled);
        await using var next = await Client.AcceptNextSessionAsync("news", "a", cancellationToken: Cancelled);
        var processor = Owned(Client.CreateSessionProcessor("news", "a"));
        processor.ProcessErrorAsync += _ => Task.CompletedTask;
        processor.ProcessMessageAsync += _ => Task.CompletedTask;
        await processor.StartProcessingAsync(Cancelled);

        Assert.Equal(("y", "x"), ((await OneAsync(named)).Body.ToString(), (await OneAsync(next)).Body.ToString()));
        await Eventually.HoldsAsync(() => CountsOf("news", "a").Completed == 1);
    }

    [Fact]
    public async Task A_connection_string_for_a_topic_opens_its_subscriptions()
    {
        await using var client = new ServiceBusClient($"{Broker.ConnectionString};EntityPath=news");

        Assert.Equal("news/Subscriptions/a", client.CreateReceiver("news", "a").EntityPath);
        Assert.Throws<ArgumentException>(() => client.CreateReceiver("orders", "a"));
        Assert.Throws<ArgumentException>(() => client.CreateReceiver("news", " "));
    }

    private void CreateTopic(string name, params string[] subscriptions)
    {
        Broker.Broker.Entities.CreateTopic(new QueueOptions(name) { Kind = EntityKind.Topic });
        foreach (var subscription in subscriptions)
            Broker.Broker.Entities.CreateSubscription(QueueOptions.OfSubscription(name, subscription));
    }

    private async Task SendAsync(string topic, string body)
    {
        await using var sender = Client.CreateSender(topic);
        await sender.SendMessageAsync(new ServiceBusMessage(body), Cancelled);
    }

    private QueueCounts CountsOf(string topic, string subscription) =>
        Broker.Broker.Entities.GetTopic(topic).Get(subscription).Queue.Counts();
}
