namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class SettlementTests(Bus bus) : BusTest(bus)
{
    private static readonly Dictionary<string, object> Changes = new() { ["changed"] = "new", ["added"] = 7 };

    [Fact]
    public async Task A_message_that_is_abandoned_comes_back_first_with_its_changes()
    {
        var queue = await CreateQueueAsync();
        await SendAsync(queue, new("first") { ApplicationProperties = { ["kept"] = 1, ["changed"] = "old" } }, new("second"));
        var receiver = Receiver(queue);
        var first = await OneAsync(receiver);

        await receiver.AbandonMessageAsync(first, Changes, Cancelled);

        var again = await OneAsync(receiver);
        Assert.Equal(("first", 2, first.SequenceNumber), (again.Body.ToString(), again.DeliveryCount, again.SequenceNumber));
        Assert.Equal((1, "new", 7), Properties(again));
        Assert.NotEqual(first.LockToken, again.LockToken);
        Assert.Equal(first.EnqueuedTime, again.EnqueuedTime);
    }

    [Fact]
    public async Task A_dead_letter_has_its_reason_its_description_and_its_changes()
    {
        var queue = await CreateQueueAsync();
        await SendAsync(queue, new ServiceBusMessage("bad") { ApplicationProperties = { ["kept"] = 1, ["changed"] = "old" } });
        var receiver = Receiver(queue);
        await receiver.DeadLetterMessageAsync(await OneAsync(receiver), Changes, "why", "how", Cancelled);

        var deadLetters = DeadLetters(queue);
        var dead = await OneAsync(deadLetters);

        Assert.Equal(("bad", "why", "how"), (dead.Body.ToString(), dead.DeadLetterReason, dead.DeadLetterErrorDescription));
        Assert.Equal((1, "new", 7), Properties(dead));
        await deadLetters.CompleteMessageAsync(dead, Cancelled);
        Assert.Null(await deadLetters.PeekMessageAsync(fromSequenceNumber: 0, Cancelled));
    }

    [Fact]
    public async Task A_message_that_is_deferred_comes_only_to_who_asks_for_its_number()
    {
        var queue = await CreateQueueAsync();
        await SendAsync(queue, new("later") { ApplicationProperties = { ["kept"] = 1, ["changed"] = "old" } }, new("now"));
        var receiver = Receiver(queue);
        var later = await OneAsync(receiver);
        await receiver.DeferMessageAsync(later, Changes, Cancelled);
        Assert.Equal("now", (await OneAsync(receiver)).Body.ToString());

        var deferred = await receiver.ReceiveDeferredMessageAsync(later.SequenceNumber, Cancelled);

        Assert.Equal(("later", ServiceBusMessageState.Deferred), (deferred.Body.ToString(), deferred.State));
        Assert.Equal((1, "new", 7), Properties(deferred));
        await receiver.CompleteMessageAsync(deferred, Cancelled);
        await FailsAsync(
            ServiceBusFailureReason.MessageNotFound, () => receiver.ReceiveDeferredMessageAsync(later.SequenceNumber, Cancelled));
    }

    private static (object, object, object) Properties(ServiceBusReceivedMessage message) =>
        (message.ApplicationProperties["kept"], message.ApplicationProperties["changed"], message.ApplicationProperties["added"]);
}
