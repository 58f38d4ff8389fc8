using Azure.Messaging.ServiceBus;

namespace DroneDelivery.Bench.Broker;

/// <summary>The official SDK, used as a service does: each caller and each handler waits for its response.</summary>
internal sealed class SdkClient : IBrokerClient
{
    /// <summary>Concurrent sends, and with prefetch concurrent handlers, over all links.</summary>
    public const int Concurrency = 128;

    public async Task SendAsync(BrokerUnderTest broker, int count)
    {
        var left = count;
        await using var client = new ServiceBusClient(broker.ConnectionString);
        var senders = Enumerable
            .Range(0, AmqpClient.SendingLinks)
            .Select(_ => client.CreateSender(broker.QueueAddress))
            .ToArray();
        await Task.WhenAll(
            Enumerable.Range(0, Concurrency).Select(caller => CallAsync(senders[caller % senders.Length]))
        );

        async Task CallAsync(ServiceBusSender sender)
        {
            while (Interlocked.Decrement(ref left) >= 0)
                await sender.SendMessageAsync(MeasuredMessage.ForSdk());
        }
    }

    public async Task ReceiveAsync(BrokerUnderTest broker, int receivers, uint prefetch, int count)
    {
        var remaining = new Remaining(count);
        var options = new ServiceBusProcessorOptions
        {
            AutoCompleteMessages = false,
            PrefetchCount = (int)prefetch,
            MaxConcurrentCalls = prefetch == 0 ? 1 : Math.Max(1, Concurrency / receivers),
        };
        await Task.WhenAll(Enumerable.Range(0, receivers).Select(_ => ReceiveAsync(broker, options, remaining)));
    }

    private static async Task ReceiveAsync(
        BrokerUnderTest broker,
        ServiceBusProcessorOptions options,
        Remaining remaining
    )
    {
        await using var client = new ServiceBusClient(broker.ConnectionString);
        await using var processor = client.CreateProcessor(broker.QueueAddress, options);
        processor.ProcessMessageAsync += async message =>
        {
            await message.CompleteMessageAsync(message.Message, CancellationToken.None);
            remaining.TakeOne();
        };
        processor.ProcessErrorAsync += error =>
        {
            remaining.Fail(error.Exception);
            return Task.CompletedTask;
        };
        await processor.StartProcessingAsync();
        await remaining.None;
    }
}
