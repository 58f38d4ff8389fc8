using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.Testing;
using static DroneDelivery.LocalServiceBus.Tests.Support.AmqpClient;

namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>A client that settles a message again while the answer to its first settlement is on the way.</summary>
public sealed class RepeatedSettlementTests
{
    [Fact]
    public async Task A_repeated_settlement_counts_once()
    {
        var clock = new ManualTimeProvider();
        var latency = new LatencyOptions { Mu = Math.Log(100), Sigma = 0 };
        await using var broker = await BrokerFixture.StartAsync(
            new LocalServiceBusOptions { Port = 0, TimeProvider = clock, SettlementLatency = latency }, Cancel);
        var orders = broker.CreateQueue(name: "orders");
        await using var client = await ConnectAsync(broker);
        orders.Enqueue([Message("a")], new long[1]);
        var receiver = await client.ReceiverAsync("orders", 2);
        var message = await receiver.NextAsync();

        for (var i = 0; i < 2; i++)
        {
            receiver.Link.Settle(message.Id, Accepted.Instance, settled: false);
            await client.SenderAsync("orders"); // answered behind the settlement
        }
        clock.Advance(TimeSpan.FromSeconds(1));
        orders.Enqueue([Message("b")], new long[1]);
        await receiver.NextAsync();

        Assert.Equal((1, 0), (orders.Counts().Completed, orders.Counts().LockLost));
        await Until(() => Assert.Single(broker.Broker.LinksOf(orders)).Unsettled == 1, "the second message is counted");
    }

    private static MessageContent Message(string text) => new(new AmqpMessage { Value = text }.ToArray());
}
