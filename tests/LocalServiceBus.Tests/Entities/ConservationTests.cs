using System.Collections.Concurrent;

namespace DroneDelivery.LocalServiceBus.Tests.Entities;

/// <summary>Races on the real clock: locks of a few milliseconds run out while others renew, complete, abandon and release them.</summary>
public sealed class ConservationTests
{
    private const int Senders = 2, Settlers = 3, MessagesPerSender = 4000;

    private readonly ConcurrentDictionary<long, int> _completions = new();

    [Fact]
    public async Task No_message_is_lost_or_completed_twice_whatever_races()
    {
        using var entities = new ServiceBusNamespace(TimeProvider.System);
        var queue = entities.Create(new QueueOptions("orders") { LockDuration = TimeSpan.FromMilliseconds(5), MaxDeliveryCount = 4 });
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        var settlers = Enumerable.Range(0, Settlers).Select(seed => OnThread(() => SettleUntilStopped(queue, seed, stop.Token))).ToList();
        await Task.WhenAll(Enumerable.Range(0, Senders).Select(sender => OnThread(() => Send(queue, sender))));
        await Eventually.TrueAsync(() => queue.Counts() is { Active: 0, Locked: 0 });
        await stop.CancelAsync();
        await Task.WhenAll(settlers);

        var counts = queue.Counts();
        Assert.Equal(Senders * MessagesPerSender, counts.Incoming);
        Assert.Equal(counts.Incoming, counts.Completed + counts.DeadLettered);
        Assert.Equal(counts.Completed, _completions.Count);
        Assert.All(_completions.Values, times => Assert.Equal(1, times));
        Assert.Equal(counts.DeadLettered, counts.DeadLetter);
        Assert.Equal(counts.DeadLetter, queue.DeadLetterQueue!.Counts().Active);
        Assert.Equal(0, counts.SizeInBytes);
        // Without each of these the test has not raced.
        Assert.True(counts.ExpiredLocks > 0 && counts.LockLost > 0 && counts.Abandoned > 0 && counts.DeadLettered > 0, counts.ToString());
    }

    private static void Send(Queue queue, int sender)
    {
        for (var i = 0; i < MessagesPerSender; i++)
            queue.Send($"{sender}-{i}");
    }

    private void SettleUntilStopped(Queue queue, int seed, CancellationToken stopping)
    {
        var random = new Random(seed);
        var buffer = new BlockingCollection<MessageLock>();
        var receiver = new TestReceiver(queue, 0) { OnDelivered = held => buffer.Add(held!, CancellationToken.None) };
        receiver.Grant(50);
        while (!stopping.IsCancellationRequested)
        {
            if (!buffer.TryTake(out var held, 10, CancellationToken.None))
                continue;
            Handle(queue, held, random.Next(10));
            receiver.Grant(1);
        }
        receiver.Close();
    }

    private void Handle(Queue queue, MessageLock held, int choice)
    {
        switch (choice)
        {
            case 0:
                break; // forgotten: its lock runs out
            case 1:
                queue.Settle(held, new Settlement.Abandoned());
                break;
            case 2:
                queue.Settle(held, Settlement.Release);
                break;
            case 3:
                SpinUntil(held.Until); // as close to the end of the lock as can be
                Complete(queue, held);
                break;
            case 4:
                queue.RenewLock(held.Token);
                Complete(queue, held);
                break;
            default:
                Complete(queue, held);
                break;
        }
    }

    private void Complete(Queue queue, MessageLock held)
    {
        if (queue.Settle(held, Settlement.Complete) == QueueResult.Done)
            _completions.AddOrUpdate(held.SequenceNumber, 1, (_, times) => times + 1);
    }

    private static void SpinUntil(DateTimeOffset time)
    {
        while (TimeProvider.System.GetUtcNow() < time - TimeSpan.FromMicroseconds(100))
            Thread.SpinWait(50);
    }

    private static Task OnThread(Action work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
