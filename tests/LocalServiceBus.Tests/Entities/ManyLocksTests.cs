namespace DroneDelivery.LocalServiceBus.Tests.Entities;

/// <summary>Very many locks that end in the same moment.</summary>
public sealed class ManyLocksTests
{
    private static readonly TimeSpan LockDuration = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task A_hundred_thousand_messages_come_again_once_and_in_their_order()
    {
        const int Count = 100_000;
        using var fixture = new QueueFixture();
        Fill(fixture.Queue, Count);
        var receiver = new Counting(fixture.Queue);
        await receiver.TakeAsync(Count);
        var again = receiver.TakeAsync(Count);
        fixture.Clock.Advance(LockDuration);
        await again;

        Assert.Equal(Enumerable.Range(1, Count).Select(number => ((long)number, 1)), receiver.Taken[Count..]);
        await Until(() => fixture.Queue.Counts().Redelivered == Count, "all are counted");
        var counts = fixture.Queue.Counts();
        Assert.Equal((Count, Count, 0), (counts.ExpiredLocks, counts.Locked, counts.Active));
    }

    [Fact]
    public async Task One_thread_of_the_pool_ends_only_some_of_them()
    {
        const int Count = 20 * Queue.MostPerHold;
        var clock = new ManualTimeProvider();
        var watched = new WatchedTime(clock);
        using var entities = new ServiceBusNamespace(watched);
        var queue = entities.Create(new QueueOptions("orders") { LockDuration = LockDuration });
        Fill(queue, Count);
        var receiver = new Counting(queue);
        await receiver.TakeAsync(Count);
        receiver.Close();

        Assert.InRange(watched.LooksOfThisThread(() => clock.Advance(LockDuration)), 1, 10);
        await Until(() => queue.Counts() is { Active: Count, ExpiredLocks: Count }, "all locks have ended");
    }

    [Fact]
    public void A_lock_that_begins_later_and_is_shorter_ends_first()
    {
        using var fixture = new QueueFixture();
        fixture.Send("long", "short");
        var receiver = fixture.Receive(1);
        fixture.Queue.Update(fixture.Queue.Options with { LockDuration = LockDuration / 3 });
        receiver.Grant(1);
        receiver.Grant(2);

        fixture.Clock.Advance(LockDuration / 3);
        Assert.Equal(["long", "short", "short"], receiver.Texts);
        fixture.Queue.Settle(receiver.Locks[^1], Settlement.Complete);
        fixture.Clock.Advance(LockDuration / 3 * 2);
        Assert.Equal(["long", "short", "short", "long"], receiver.Texts);
    }

    private static void Fill(Queue queue, int count)
    {
        var content = QueueFixture.Content("a");
        var number = new long[1];
        for (var i = 0; i < count; i++)
            Assert.Equal(QueueResult.Done, queue.Enqueue([content], number));
    }

    /// <summary>Keeps the number of each message that it gets, and how many of its deliveries had failed.</summary>
    private sealed class Counting
    {
        private readonly QueueReceiver _receiver;
        private TaskCompletionSource _all = new();
        private int _credit;

        public Counting(Queue queue) => _receiver = queue.AddReceiver(ReceiveMode.PeekLock, Deliver, error => _all.TrySetException(error));

        public List<(long Number, int Failed)> Taken { get; } = [];

        public Task TakeAsync(int count)
        {
            _all = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Volatile.Write(ref _credit, count);
            _receiver.Signal();
            return _all.Task.WaitAsync(TimeSpan.FromSeconds(60), Cancel);
        }

        public void Close() => _receiver.Close();

        private HandOver Deliver(QueuedMessage message, MessageLock? held)
        {
            if (Volatile.Read(ref _credit) == 0)
                return HandOver.Refused;
            Taken.Add((message.SequenceNumber, message.DeliveryCount));
            if (Interlocked.Decrement(ref _credit) > 0)
                return HandOver.SentWantsMore;
            _all.TrySetResult();
            return HandOver.SentEnough;
        }
    }

    /// <summary>Knows how often a thread looks at the clock.</summary>
    private sealed class WatchedTime(ManualTimeProvider clock) : TimeProvider
    {
        private int _thread;
        private int _looks;

        public override long TimestampFrequency => clock.TimestampFrequency;

        /// <summary>While it does that.</summary>
        public int LooksOfThisThread(Action work)
        {
            Volatile.Write(ref _thread, Environment.CurrentManagedThreadId);
            work();
            Volatile.Write(ref _thread, 0);
            return _looks;
        }

        public override DateTimeOffset GetUtcNow() => clock.GetUtcNow();

        public override long GetTimestamp()
        {
            if (Environment.CurrentManagedThreadId == Volatile.Read(ref _thread))
                _looks++;
            return clock.GetTimestamp();
        }

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            clock.CreateTimer(callback, state, dueTime, period);
    }
}
