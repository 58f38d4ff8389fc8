using DroneDelivery.Amqp;

namespace DroneDelivery.Bench.Broker;

/// <summary>Callers that wait for the acknowledgement of each send, and receivers that count a message when its settlement is
/// answered.</summary>
internal sealed class AnsweredPairs(Remaining remaining) : ILinkHandler
{
    public const int Callers = 128;
    public const uint Prefetch = 1000;

    public static async Task Run(BrokerUnderTest broker, byte[] message, int connections, int count)
    {
        var remaining = new Remaining(count);
        // Several connections: some brokers write to the disk what one connection sends or settles message by message.
        var receivers = await ConnectAsync(broker, connections);
        foreach (var receiver in receivers)
            await Receive(await receiver.BeginSessionAsync(null, CancellationToken.None), broker, remaining);
        var senders = await ConnectAsync(broker, connections);
        var left = count;
        await Task.WhenAll(senders.Select(Send));
        await remaining.None;
        foreach (var connection in receivers.Concat(senders))
            await connection.DisposeAsync();

        async Task Send(AmqpConnection connection)
        {
            var session = await connection.BeginSessionAsync(null, CancellationToken.None);
            var attach = new Attach
            {
                Name = $"send-{Guid.NewGuid():N}",
                Source = new Source(),
                Target = broker.Target,
            };
            var link = await session.AttachSenderAsync(attach, new Quiet(), CancellationToken.None);
            await Task.WhenAll(Enumerable.Range(0, Callers / connections).Select(_ => Call(link)));
        }

        async Task Call(SenderLink link)
        {
            while (Interlocked.Decrement(ref left) >= 0)
                await link.SendAsync(message, 0, settled: false, CancellationToken.None);
        }
    }

    public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        _ = CompleteAsync(link, delivery.DeliveryId);
        if (link.Credit <= Prefetch / 2)
            link.SetCredit(Prefetch);
    }

    public void OnDetached(AmqpLink link, AmqpError? error) => remaining.Fail(error);

    private static Task<AmqpConnection[]> ConnectAsync(BrokerUnderTest broker, int count) =>
        Task.WhenAll(Enumerable.Range(0, count).Select(_ => broker.ConnectAsync()));

    private static async Task Receive(AmqpSession session, BrokerUnderTest broker, Remaining remaining)
    {
        var attach = new Attach
        {
            Name = $"receive-{Guid.NewGuid():N}",
            // RabbitMQ refuses that mode, and answers settlements all the same.
            RcvSettleMode = broker.IsServiceBus ? ReceiverSettleMode.Second : null,
            Source = broker.Source,
            Target = new Target(),
        };
        var link = await session.AttachReceiverAsync(attach, new AnsweredPairs(remaining), CancellationToken.None);
        link.SetCredit(Prefetch);
    }

    private async Task CompleteAsync(ReceiverLink link, uint deliveryId)
    {
        if (await link.SettleAsync(deliveryId, Accepted.Instance, CancellationToken.None) is Accepted)
            remaining.TakeOne();
        else
            remaining.Fail(error: null as AmqpError);
    }

    private sealed class Quiet : ILinkHandler
    {
        public void OnDetached(AmqpLink link, AmqpError? error)
        {
            // Sends that wait hear of it.
        }
    }
}
