using Azure.Messaging.ServiceBus;

namespace DroneDelivery.Bench.Broker;

/// <summary>The official SDK, as a service uses it: each caller and each handler waits for its answer.</summary>
/// <param name="atATime">So many sends are under way, and with prefetch so many settlements, all links together.</param>
internal sealed class SdkClient(int atATime) : IBrokerClient
{
    public string Difference =>
        $"the SDK waits for every answer, with {atATime} senders and (with prefetch) {atATime} handlers at a time; its CPU is not counted";

    public Task SendAsync(BrokerUnderTest broker, int properties, int count) =>
        SendAsync(broker, properties, clients: 1, count);

    public async Task ReceiveAsync(BrokerUnderTest broker, int receivers, uint prefetch, int count)
    {
        var remaining = new Remaining(count);
        var handlers = prefetch == 0 ? receivers : atATime;
        await using var processors = await Processors.StartAsync(broker, receivers, prefetch, handlers, remaining);
        await remaining.None;
    }

    public async Task PairsAsync(BrokerUnderTest broker, int properties, int connections, int count)
    {
        var remaining = new Remaining(count);
        await using var processors = await Processors.StartAsync(
            broker,
            connections,
            AnsweredPairs.Prefetch,
            AnsweredPairs.Callers,
            remaining
        );
        await SendAsync(broker, properties, connections, count);
        await remaining.None;
    }

    private async Task SendAsync(BrokerUnderTest broker, int properties, int clients, int count)
    {
        var left = count;
        await Task.WhenAll(Enumerable.Range(0, clients).Select(_ => SendAsync()));

        async Task SendAsync()
        {
            await using var client = new ServiceBusClient(broker.ConnectionString);
            var senders = Enumerable
                .Range(0, AmqpClient.SendingLinks)
                .Select(_ => client.CreateSender(broker.QueueAddress))
                .ToArray();
            var callers = Math.Max(1, atATime / clients);
            await Task.WhenAll(Enumerable.Range(0, callers).Select(caller => Call(senders[caller % senders.Length])));
        }

        async Task Call(ServiceBusSender sender)
        {
            while (Interlocked.Decrement(ref left) >= 0)
                await sender.SendMessageAsync(MeasuredMessage.ForSdk(properties));
        }
    }

    /// <summary>Receivers that complete each message; each has a connection.</summary>
    private sealed class Processors(List<(ServiceBusClient Client, ServiceBusProcessor Processor)> all)
        : IAsyncDisposable
    {
        public static async Task<Processors> StartAsync(
            BrokerUnderTest broker,
            int count,
            uint prefetch,
            int handlers,
            Remaining remaining
        )
        {
            var processors = new Processors([]);
            var options = new ServiceBusProcessorOptions
            {
                AutoCompleteMessages = false,
                PrefetchCount = (int)prefetch,
                MaxConcurrentCalls = Math.Max(1, handlers / count),
            };
            await Task.WhenAll(
                Enumerable.Range(0, count).Select(_ => processors.Add(broker, options, remaining)).ToList()
            );
            return processors;
        }

        public async ValueTask DisposeAsync() =>
            await Task.WhenAll(
                all.Select(async one =>
                {
                    await one.Processor.DisposeAsync();
                    await one.Client.DisposeAsync();
                })
            );

        private Task Add(BrokerUnderTest broker, ServiceBusProcessorOptions options, Remaining remaining)
        {
            var client = new ServiceBusClient(broker.ConnectionString);
            var processor = client.CreateProcessor(broker.QueueAddress, options);
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
            all.Add((client, processor));
            return processor.StartProcessingAsync();
        }
    }
}
