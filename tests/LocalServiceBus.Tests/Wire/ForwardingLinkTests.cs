namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>What a client gets of entities that forward.</summary>
public sealed class ForwardingLinkTests : WireTest
{
    private ServiceBusNamespace Entities => _broker.Broker.Entities;

    public override async ValueTask InitializeAsync()
    {
        await base.InitializeAsync();
        _broker.CreateQueue(name: "end");
    }

    [Fact]
    public async Task Receivers_end_when_forwarding_begins_and_senders_go_on()
    {
        var start = _broker.CreateQueue(name: "start");
        var sender = await _client.SenderAsync("start");
        var receiver = await _client.ReceiverAsync("start", 1);
        Entities.Update(start.Options with { ForwardTo = "end" });
        Assert.Equal("amqp:not-allowed", (await receiver.Detached)?.Condition.Value);

        await SendAsync(sender, "1");
        Assert.Equal("1", (await (await _client.ReceiverAsync("end", 1)).NextAsync()).Text);
    }

    [Fact]
    public async Task What_could_not_be_forwarded_is_received_and_settled_at_its_own_address()
    {
        var start = _broker.CreateQueue(options => options with { ForwardTo = "end" }, "start");
        Entities.Delete("end");
        await SendAsync(await _client.SenderAsync("start"), "1");
        var receiver = await _client.ReceiverAsync("start/$Transfer/$DeadLetterQueue", 1);
        var received = await receiver.NextAsync();

        Assert.Equal("MessagingEntityNotFound", received.Message.ApplicationProperties!["DeadLetterReason"]);
        await receiver.SettleAsync(received, Accepted.Instance);
        Assert.Equal(0, start.Counts().TransferDeadLetter);
        Entities.Delete("start");
        Assert.Equal("amqp:not-found", (await receiver.Detached)?.Condition.Value);
    }

    private static async Task SendAsync(SenderLink sender, string text) =>
        Assert.IsType<Accepted>(await sender.SendAsync(Encode(text), 0, settled: false, Cancel));
}
