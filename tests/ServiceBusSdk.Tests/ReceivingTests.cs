namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class ReceivingTests(Bus bus) : BusTest(bus)
{
    [Fact]
    public async Task Peek_shows_messages_in_every_state_without_a_delivery()
    {
        var queue = await CreateQueueAsync();
        await SendAsync(queue, 3);
        var hour = TimeProvider.System.GetUtcNow().AddHours(1);
        await Client.CreateSender(queue).ScheduleMessageAsync(new ServiceBusMessage("scheduled"), hour, Cancelled);
        var receiver = Receiver(queue);
        await receiver.DeferMessageAsync(await OneAsync(receiver), cancellationToken: Cancelled);
        await OneAsync(receiver);

        var peeked = await Receiver(queue).PeekMessagesAsync(10, cancellationToken: Cancelled);

        Assert.Equal(
            [
                ("1", ServiceBusMessageState.Deferred),
                ("2", ServiceBusMessageState.Active),
                ("3", ServiceBusMessageState.Active),
                ("scheduled", ServiceBusMessageState.Scheduled),
            ],
            peeked
                .Select(message => (message.Body.ToString(), message.State))
                .OrderBy(message => message.Item1, StringComparer.Ordinal)
        );
        Assert.Equal(1, (await OneAsync(receiver)).DeliveryCount);
    }

    [Fact]
    public async Task Dead_letter_contains_its_reason_and_changed_properties()
    {
        var queue = await CreateQueueAsync();
        await SendAsync(
            queue,
            new ServiceBusMessage("bad") { ApplicationProperties = { ["kept"] = 1, ["changed"] = "old" } }
        );
        var receiver = Receiver(queue);
        var changes = new Dictionary<string, object> { ["changed"] = "new", ["added"] = 7 };
        await receiver.DeadLetterMessageAsync(await OneAsync(receiver), changes, "why", "how", Cancelled);

        var deadLetters = DeadLetters(queue);
        var dead = await OneAsync(deadLetters);

        Assert.Equal(
            ("bad", "why", "how"),
            (dead.Body.ToString(), dead.DeadLetterReason, dead.DeadLetterErrorDescription)
        );
        var properties = dead.ApplicationProperties;
        Assert.Equal((1, "new", 7), (properties["kept"], properties["changed"], properties["added"]));
        await deadLetters.CompleteMessageAsync(dead, Cancelled);
        Assert.Null(await deadLetters.PeekMessageAsync(fromSequenceNumber: 0, Cancelled));
    }

    [Fact]
    public async Task Session_receiver_gets_only_messages_of_its_session_in_order()
    {
        var queue = await CreateSessionQueueAsync();
        await SendToSessionAsync(queue, "a", "a1", "a2");
        await SendToSessionAsync(queue, "b", "b1");
        await SendToSessionAsync(queue, "a", "a3");

        var receiver = await Client.AcceptSessionAsync(queue, "a", cancellationToken: Cancelled);
        var messages = await ManyAsync(receiver, 3);

        Assert.Equal(("a", queue, false), (receiver.SessionId, receiver.EntityPath, receiver.IsClosed));
        Assert.Equal(["a1", "a2", "a3"], Bodies(messages));
        Assert.All(messages, message => Assert.Equal("a", message.SessionId));
        Assert.Equal(["a1", "a2", "a3"], Bodies(await receiver.PeekMessagesAsync(10, cancellationToken: Cancelled)));
        await SendToSessionAsync(queue, "a", "a4");
        Assert.Equal("a4", (await OneAsync(receiver)).Body.ToString());
    }
}
