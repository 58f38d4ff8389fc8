using DroneDelivery.Amqp;

namespace DroneDelivery.Bench.Broker;

/// <summary>
/// Callers that wait for the acknowledgement of each send. A message counts when the broker has responded to its settlement.
/// </summary>
internal sealed class AnsweredPairs(Remaining remaining) : ILinkHandler
{
    private const int Callers = 128;
    private const uint Prefetch = 1000;

    // Some brokers write to disk message by message for one connection.
    private const int Connections = 4;

    public static async Task RunAsync(BrokerUnderTest broker, int count)
    {
        var message = MeasuredMessage.Encode(broker.IsDurable);
        var remaining = new Remaining(count);
        var connections = await Task.WhenAll(Enumerable.Range(0, 2 * Connections).Select(_ => broker.ConnectAsync()));
        foreach (var receiver in connections[..Connections])
        {
            var session = await receiver.BeginSessionAsync(null, CancellationToken.None);
            var link = await broker.AttachReceiverAsync(session, new AnsweredPairs(remaining), isAnswered: true);
            link.SetCredit(Prefetch);
        }
        var left = count;
        await Task.WhenAll(connections[Connections..].Select(SendAsync));
        await remaining.None;
        foreach (var connection in connections)
            await connection.DisposeAsync();

        async Task SendAsync(AmqpConnection connection)
        {
            var session = await connection.BeginSessionAsync(null, CancellationToken.None);
            var link = await broker.AttachSenderAsync(session, new AnsweredPairs(remaining));
            await Task.WhenAll(Enumerable.Range(0, Callers / Connections).Select(_ => CallAsync(link)));
        }

        async Task CallAsync(SenderLink link)
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

    private async Task CompleteAsync(ReceiverLink link, uint deliveryId)
    {
        if (await link.SettleAsync(deliveryId, Accepted.Instance, CancellationToken.None) is Accepted)
            remaining.TakeOne();
        else
            remaining.Fail(error: null as AmqpError);
    }
}
