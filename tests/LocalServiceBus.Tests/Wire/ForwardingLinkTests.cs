namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>What a client gets of entities that forward.</summary>
public sealed class ForwardingLinkTests : IAsyncLifetime
{
    private BrokerFixture _broker = null!;
    private AmqpClient _client = null!;

    private ServiceBusNamespace Entities => _broker.Broker.Entities;

    public async ValueTask InitializeAsync()
    {
        _broker = await BrokerFixture.StartAsync(cancellationToken: Cancel);
        _client = await ConnectAsync(_broker);
        _broker.CreateQueue(name: "end");
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _broker.DisposeAsync();
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
    public async Task A_sender_cannot_say_where_a_dead_letter_comes_from()
    {
        var message = new AmqpMessage
        {
            Data = ["1"u8.ToArray()],
            MessageAnnotations = new() { ["x-opt-deadletter-source"] = "elsewhere" },
        };
        var sender = await _client.SenderAsync("end");
        await sender.SendAsync(message.ToArray(), 0, settled: false, Cancel);

        var received = (await (await _client.ReceiverAsync("end", 1)).NextAsync()).Message;
        Assert.DoesNotContain("x-opt-deadletter-source", received.MessageAnnotations!.Keys.Select(key => key.Value));
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

    private static async Task SendAsync(SenderLink sender, string text) => Assert.IsType<Accepted>(
        await sender.SendAsync(
            new AmqpMessage { Data = [System.Text.Encoding.UTF8.GetBytes(text)] }.ToArray(), 0, settled: false, Cancel));
}
