using DroneDelivery.Amqp;

namespace DroneDelivery.Bench.Broker;

/// <summary>Counts the messages that the receivers of a run have yet to receive.</summary>
internal sealed class Remaining(int count)
{
    private readonly TaskCompletionSource _none = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _left = count;

    public Task None => _none.Task;

    public void TakeOne()
    {
        if (Interlocked.Decrement(ref _left) == 0)
            _none.TrySetResult();
    }

    public void Fail(AmqpError? error) => Fail(new InvalidOperationException($"The broker closed the link: {error}"));

    public void Fail(Exception error) => _none.TrySetException(error);
}

/// <summary>
/// Receives with peek-lock and accepts each message. With prefetch 0, grants one credit at a time; otherwise, replenishes credit when half
/// of it is used.
/// </summary>
internal sealed class Receiving(uint prefetch, Remaining remaining) : ILinkHandler
{
    public static async Task StartAsync(BrokerUnderTest broker, AmqpSession session, uint prefetch, Remaining remaining)
    {
        var link = await broker.AttachReceiverAsync(session, new Receiving(prefetch, remaining));
        link.SetCredit(Math.Max(1, prefetch));
    }

    public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        link.Settle(delivery.DeliveryId, Accepted.Instance);
        if (link.Credit <= prefetch / 2)
            link.SetCredit(Math.Max(1, prefetch));
        remaining.TakeOne();
    }

    public void OnDetached(AmqpLink link, AmqpError? error) => remaining.Fail(error);
}
