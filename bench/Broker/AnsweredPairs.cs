using DroneDelivery.Amqp;

namespace DroneDelivery.Bench.Broker;

/// <summary>Callers that wait for the acknowledgement of each send, and a receiver that counts a message when its settlement is
/// answered.</summary>
internal sealed class AnsweredPairs(Remaining remaining) : IReceiverHandler
{
    private const int Callers = 128;
    private const uint Prefetch = 1000;

    public static async Task Run(AmqpConnection connection, string address, byte[] message, int count)
    {
        var remaining = new Remaining(count);
        var session = await connection.BeginSessionAsync(null, CancellationToken.None);
        var receiver = await session.AttachReceiverAsync(
            new Attach
            {
                Name = $"receive-{Guid.NewGuid():N}",
                RcvSettleMode = ReceiverSettleMode.Second,
                Source = new Source { Address = address },
                Target = new Target(),
            },
            new AnsweredPairs(remaining),
            CancellationToken.None);
        receiver.SetCredit(Prefetch);
        var sending = new Attach { Name = $"send-{Guid.NewGuid():N}", Source = new Source(), Target = new Target { Address = address } };
        var sender = await session.AttachSenderAsync(sending, new Quiet(), CancellationToken.None);
        var left = count;
        await Task.WhenAll(Enumerable.Range(0, Callers).Select(_ => Call()));
        await remaining.None;

        async Task Call()
        {
            while (Interlocked.Decrement(ref left) >= 0)
                await sender.SendAsync(message, 0, settled: false, CancellationToken.None);
        }
    }

    public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        _ = CompleteAsync(link, delivery.DeliveryId);
        if (link.Credit <= Prefetch / 2)
            link.SetCredit(Prefetch);
    }

    public void OnDisposition(ReceiverLink link, uint deliveryId, DeliveryState? state, bool settled)
    {
        // Every settlement waits for its own answer.
    }

    public void OnFlow(ReceiverLink link)
    {
        // What the broker has available is not needed.
    }

    public void OnDetached(ReceiverLink link, AmqpError? error) => remaining.Fail(error);

    private async Task CompleteAsync(ReceiverLink link, uint deliveryId)
    {
        if (await link.SettleAsync(deliveryId, Accepted.Instance, CancellationToken.None) is Accepted)
            remaining.TakeOne();
        else
            remaining.Fail(null);
    }

    private sealed class Quiet : ISenderHandler
    {
        public void OnFlow(SenderLink link)
        {
            // The link sends by itself.
        }

        public void OnDisposition(SenderLink link, uint deliveryId, object? context, DeliveryState? state, bool settled)
        {
            // As above.
        }

        public void OnDetached(SenderLink link, AmqpError? error)
        {
            // Sends that wait hear of it.
        }
    }
}
