using System.Collections.Concurrent;

namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>Several connections, and clients that behave like SDKs or disconnect.</summary>
public sealed class PrefetchTests : BrokerTest
{
    private static readonly TimeSpan LockDuration = TimeSpan.FromMilliseconds(100);

    private readonly ManualTimeProvider _clock = new();
    private readonly Lock _advancing = new();

    private protected override LocalServiceBusOptions Options => new() { Port = 0, TimeProvider = _clock };

    [Fact]
    public async Task Receiver_never_holds_more_than_its_prefetch()
    {
        const int Prefetch = 20,
            Messages = 2000;
        var queue = _broker.CreateQueue();
        await using var one = await ConnectAsync(_broker);
        await using var two = await ConnectAsync(_broker);
        // Attached before the messages arrive; otherwise, the first receiver may get all of them.
        foreach (var client in (AmqpClient[])[one, one, one, two])
            (await client.ReceiverAsync(queue.Name, new Prefetching(Prefetch))).SetCredit(Prefetch);
        await Eventually.TrueAsync(() => _broker.Broker.LinksOf(queue).Sum(link => link.Credit) == 4 * Prefetch);
        await Task.WhenAll(SendAsync(one, queue, 0, Messages / 2), SendAsync(two, queue, Messages / 2, Messages / 2));
        await Eventually.TrueAsync(() => queue.Counts().Completed == Messages);
        var links = _broker.Broker.LinksOf(queue);
        Assert.Equal(4, links.Count);
        Assert.All(links, link => Assert.InRange(link.MaxUnsettled, 2, Prefetch));
    }

    [Fact]
    public async Task Random_clients_lose_no_message_and_complete_none_twice()
    {
        const int Prefetch = 50,
            Messages = 1500;
        var queue = _broker.CreateQueue(options => options with { LockDuration = LockDuration, MaxDeliveryCount = 4 });
        var completed = new ConcurrentDictionary<string, int>();
        using var done = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var workers = Enumerable.Range(1, 3).Select(seed => WorkAsync(new Random(seed))).ToList();
        await using var client = await ConnectAsync(_broker);
        await Task.WhenAll(SendAsync(client, queue, 0, Messages), SendAsync(client, queue, Messages, Messages));
        await Eventually.TrueAsync(() => IsEmptyOnceLocksEnd(queue));
        await done.CancelAsync();
        await Task.WhenAll(workers);

        var counts = queue.Counts();
        Assert.Equal((2 * Messages, counts.Incoming), (counts.Incoming, counts.Completed + counts.DeadLettered));
        Assert.Equal(
            (counts.Completed, counts.DeadLettered, 0L),
            (completed.Count, counts.DeadLetter, counts.SizeInBytes)
        );
        Assert.All(completed.Values, times => Assert.Equal(1, times));
        Assert.True(counts.ExpiredLocks > 0 && counts.Abandoned > 0 && counts.DeadLettered > 0, counts.ToString());

        async Task WorkAsync(Random random)
        {
            while (!done.IsCancellationRequested)
            {
                await using var worker = await ConnectAsync(_broker);
                await HandleAsync(await worker.ReceiverAsync(queue.Name, Prefetch), random);
                worker.Connection.Abort();
            }
        }

        async Task HandleAsync(AmqpReceiver receiver, Random random)
        {
            for (
                var left = random.Next(1, 200);
                left > 0 && await receiver.NextUntilAsync(done.Token) is { } received;
                left--
            )
            {
                DeliveryState wanted = random.Next(10) switch
                {
                    0 => new Modified(),
                    1 => Released.Instance,
                    2 => Rejected.Bare,
                    _ => Accepted.Instance,
                };
                if (random.Next(100) == 0)
                    EndLocks(); // Expires this lock, and locks that other workers are about to settle.
                if (await receiver.SettleAsync(received, wanted) is Accepted)
                    completed.AddOrUpdate(received.Text, 1, (_, times) => times + 1);
                receiver.Link.SetCredit((uint)Math.Max(1, Prefetch - receiver.Waiting));
            }
        }
    }

    /// <summary>
    /// Returns whether the queue is empty after all locks expired, which redelivers messages of disconnected clients.
    /// </summary>
    private bool IsEmptyOnceLocksEnd(Queue queue)
    {
        var counts = queue.Counts();
        if (counts is { Active: 0, Locked: > 0 })
            EndLocks();
        return counts is { Active: 0, Locked: 0 };
    }

    private void EndLocks()
    {
        lock (_advancing)
            _clock.Advance(LockDuration);
    }

    private static async Task SendAsync(AmqpClient client, Queue queue, int first, int count)
    {
        var sender = await client.SenderAsync(queue.Name);
        var sends = Enumerable
            .Range(first, count)
            .Select(i => sender.SendAsync(Encode($"{i}"), 0, settled: false, Cancel));
        Assert.All(await Task.WhenAll(sends), outcome => Assert.Same(Accepted.Instance, outcome));
    }

    /// <summary>
    /// Settles each message and grants credit as the broker responds, so that unsettled messages stay within the
    /// prefetch. All of this happens on the read loop, where nothing else arrives.
    /// </summary>
    private sealed class Prefetching(uint prefetch) : ILinkHandler
    {
        private uint _held;

        public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
        {
            _held++;
            link.Settle(delivery.DeliveryId, Accepted.Instance, settled: false);
        }

        public void OnDisposition(AmqpLink link, uint deliveryId, object? context, DeliveryState? state, bool settled)
        {
            _held--;
            ((ReceiverLink)link).SetCredit(prefetch - _held);
        }

        public void OnDetached(AmqpLink link, AmqpError? error) { }
    }
}
