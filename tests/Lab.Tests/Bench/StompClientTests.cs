using DroneDelivery.Bench.Broker;
using DroneDelivery.Bench.Broker.Stomp;

namespace DroneDelivery.Lab.Tests.Bench;

public sealed class StompClientTests
{
    [Fact]
    public async Task A_receiver_acknowledges_each_message_by_its_id_whatever_its_body_is()
    {
        using var broker = await ScriptedStompBroker.ConnectAsync();
        var remaining = new Remaining(2);
        var receiving = new StompReceiving(broker.Client, withReceipts: false, remaining);
        var running = receiving.RunAsync("/queue/q", 100);
        Assert.Equal(("SUBSCRIBE", "100"), await broker.ReadAsync("activemq.prefetchSize"));

        await broker.SayAsync("MESSAGE\nack:ID\\c1\nsubscription:0\n\na");
        Assert.Equal(("ACK", "ID\\c1"), await broker.ReadAsync("id"));
        await broker.SayAsync("MESSAGE\nack:ID\\c2\nacknowledged:no\nack:second\ncontent-length:3\n\na\0b");
        Assert.Equal(("ACK", "ID\\c2"), await broker.ReadAsync("id"));

        await remaining.None;
        await receiving.StopAsync();
        Assert.Equal(("DISCONNECT", "goodbye"), await broker.ReadAsync("receipt"));
        await broker.SayAsync("RECEIPT\nreceipt-id:goodbye\n\n");
        await running;
    }

    [Fact]
    public async Task With_receipts_a_message_counts_when_its_acknowledgement_is_answered()
    {
        using var broker = await ScriptedStompBroker.ConnectAsync();
        var remaining = new Remaining(1);
        var receiving = new StompReceiving(broker.Client, withReceipts: true, remaining);
        var running = receiving.RunAsync("/queue/q", 100);
        await broker.ReadAsync("id");

        await broker.SayAsync("MESSAGE\nack:1\n\na");
        var (_, receipt) = await broker.ReadAsync("receipt");
        Assert.False(remaining.None.IsCompleted);
        await broker.SayAsync($"RECEIPT\nreceipt-id:{receipt}\n\n");
        await remaining.None;

        await broker.SayAsync("RECEIPT\nreceipt-id:goodbye\n\n");
        await running;
    }

    [Fact]
    public async Task A_sender_waits_when_its_window_is_unanswered()
    {
        using var broker = await ScriptedStompBroker.ConnectAsync();
        var running = StompSending.Run(
            broker.Client,
            new SendFrame("/queue/q", isPersistent: true, properties: 4),
            2,
            new Unsent(3)
        );

        Assert.Equal(("SEND", "0"), await broker.ReadAsync("receipt"));
        Assert.Equal(("SEND", "1"), await broker.ReadAsync("receipt"));
        Assert.Equal(0, broker.Unread);

        await broker.SayAsync("RECEIPT\nreceipt-id:0\n\n");
        Assert.Equal(("SEND", "2"), await broker.ReadAsync("receipt"));
        Assert.False(running.IsCompleted);

        await broker.SayAsync("RECEIPT\nreceipt-id:1\n\n\0RECEIPT\nreceipt-id:2\n\n");
        await running;
    }

    [Fact]
    public async Task An_error_of_the_broker_ends_the_load_with_its_words()
    {
        using var broker = await ScriptedStompBroker.ConnectAsync();
        var running = new StompReceiving(broker.Client, withReceipts: false, new Remaining(1)).RunAsync(
            "/queue/q",
            100
        );

        await broker.SayAsync("ERROR\nmessage:queue is full\n\n");

        var exception = await Assert.ThrowsAsync<InvalidOperationException>(() => running);
        Assert.Contains("queue is full", exception.Message, StringComparison.Ordinal);
    }
}
