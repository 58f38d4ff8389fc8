using DroneDelivery.LocalServiceBus;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.ServiceBusSdk.Tests;

/// <summary>Brokers that go away and come back: each test has one of its own.</summary>
public sealed class ReconnectTests : IDisposable
{
    private const string Queue = "orders";

    private readonly ReservedPort _port = new();

    public ReconnectTests() => Bus.SkipUnlessLocal();

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    public void Dispose() => _port.Dispose();

    [Fact]
    public async Task Senders_and_receivers_go_on_after_the_broker_has_restarted()
    {
        var broker = await StartAsync();
        await using var client = PatientClientOf(broker);
        var (sender, receiver) = (client.CreateSender(Queue), client.CreateReceiver(Queue));
        await SendAsync(sender, "before");
        await receiver.CompleteMessageAsync(await OneAsync(receiver), Cancelled);

        await broker.DisposeAsync();
        var sending = SendAsync(sender, "after");
        await using var second = await StartAsync();
        await sending;

        Assert.Equal("after", (await OneAsync(receiver)).Body.ToString());
    }

    private Task<BrokerFixture> StartAsync() => BrokerFixture.StartAsync(
        new LocalServiceBusOptions { Port = _port.Number, Queues = [new QueueOptions(Queue)] }, Cancelled);

    private static ServiceBusClient PatientClientOf(BrokerFixture broker) => new(broker.ConnectionString, new ServiceBusClientOptions
    {
        RetryOptions = { MaxRetries = 100, Delay = TimeSpan.FromMilliseconds(20), MaxDelay = TimeSpan.FromMilliseconds(200) },
    });

    private static Task SendAsync(ServiceBusSender sender, string body) =>
        sender.SendMessageAsync(new ServiceBusMessage(body), Cancelled);

    private static async Task<ServiceBusReceivedMessage> OneAsync(ServiceBusReceiver receiver) =>
        await receiver.ReceiveMessageAsync(TimeSpan.FromSeconds(60), Cancelled) ?? throw new TimeoutException("No message came.");
}
