namespace DroneDelivery.LocalServiceBus.Tests.Entities;

/// <summary>
/// The scope of a defect in the broker. Each test injects it into another entry point: a timer, the thread pool, a
/// client's thread.
/// </summary>
public sealed class DefectTests : IDisposable
{
    private static readonly TimeSpan LockDuration = TimeSpan.FromSeconds(30);

    private readonly ManualTimeProvider _clock = new();
    private readonly FaultyTimeProvider _faulty;
    private readonly ServiceBusNamespace _entities;
    private readonly Queue _queue;
    private readonly TaskCompletionSource<Queue> _failed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public DefectTests()
    {
        _faulty = new FaultyTimeProvider(_clock);
        _entities = new ServiceBusNamespace(_faulty);
        _entities.QueueClosed += queue =>
        {
            if (queue.Failure is not null)
                _failed.TrySetResult(queue);
        };
        _queue = _entities.Create(new QueueOptions("orders") { LockDuration = LockDuration });
    }

    public void Dispose() => _entities.Dispose();

    [Fact]
    public async Task Defect_in_a_timer_fails_the_queue_and_is_reported()
    {
        var told = new List<string>();
        _entities.Defects.Found += (where, error) => told.Add($"{where}: {error.Message}");
        _queue.Send("a");
        var held = new TestReceiver(_queue, 1).Locks[0];

        _faulty.BreakOnce();
        _clock.Advance(LockDuration);

        await AssertFailedAsync();
        Assert.Equal(
            [
                "queue 'orders', which accepts and delivers nothing until it is deleted and created again: The clock is broken.",
            ],
            told
        );
        Assert.Equal(QueueResult.LockLost, _queue.Settle(held, Settlement.Complete));
        Assert.Null(_queue.RenewLock(held.Token));
        Assert.False(_queue.CancelScheduled([1]));
        Assert.Null(_queue.ReceiveDeferred([1], ReceiveMode.PeekLock));
        Assert.Equal(
            (0, 0, 0),
            (_queue.Purge(), _queue.DeleteActive(10, DateTimeOffset.MaxValue), _queue.Peek(0, 10).Count)
        );
    }

    [Fact]
    public async Task Defect_at_the_start_of_a_delivery_does_not_fail_the_sender()
    {
        var receiver = new TestReceiver(_queue, 10) { OnDelivered = _ => _faulty.BreakOnce() };
        var numbers = new long[2];

        // The first delivery breaks the clock, which the lock of the second one reads.
        Assert.Equal(QueueResult.Done, _queue.Enqueue([QueueFixture.Content("a"), QueueFixture.Content("b")], numbers));

        await AssertFailedAsync();
        Assert.Equal(["a"], receiver.Texts);
        Assert.Null(receiver.Failure);
    }

    [Fact]
    public async Task Defect_at_the_end_of_a_delivery_does_not_fail_the_receiver()
    {
        // The queue reads the time of a returning message only if it can expire.
        _queue.Send(QueueFixture.Content("a") with { TimeToLive = TimeSpan.FromHours(1) });
        _queue.AddReceiver(ReceiveMode.PeekLock, Refuse, error => Assert.Fail(error.Message)).Signal();
        await AssertFailedAsync();

        DeliveryResult Refuse(QueuedMessage message, MessageLock? held)
        {
            _faulty.BreakOnce();
            return DeliveryResult.NotSent;
        }
    }

    [Fact]
    public async Task Defect_on_the_thread_pool_does_not_end_the_process()
    {
        for (var i = 0; i < 1000; i++)
            _queue.Send("a");
        var count = 0;
        var receiver = new TestReceiver(_queue, 0)
        {
            OnDelivered = _ =>
            {
                if (++count == 500)
                    _faulty.BreakOnce();
            },
        };
        receiver.Grant(1000);
        await AssertFailedAsync();
        Assert.Equal(500, count);
    }

    [Fact]
    public async Task Defect_during_a_send_rejects_the_message()
    {
        _faulty.BreakOnce();
        Assert.Equal(QueueResult.Failed, _queue.Enqueue([QueueFixture.Content("a")], new long[1]));
        await AssertFailedAsync();
    }

    [Fact]
    public async Task Defect_in_the_dead_letter_queue_fails_both_queues()
    {
        _queue.Send("a");
        _queue.Settle(new TestReceiver(_queue, 1).Locks[0], new Settlement.DeadLettered());
        var held = new TestReceiver(_queue.DeadLetterQueue!, 1).Locks[0];
        _faulty.BreakOnce();
        Assert.Equal(QueueResult.LockLost, _queue.DeadLetterQueue!.Settle(held, Settlement.Complete));
        await AssertFailedAsync();
        Assert.Same(_queue.Failure, _queue.DeadLetterQueue!.Failure);
    }

    [Fact]
    public void Receiver_that_throws_is_counted_and_the_queue_continues()
    {
        var told = new List<Exception>();
        _entities.Defects.Found += (_, error) => told.Add(error);
        _queue.Send("a");
        var broken = new TestReceiver(_queue, 0) { OnDelivered = _ => throw new InvalidOperationException("broken") };
        broken.Grant(1);
        Assert.Equal("broken", broken.Failure?.Message);
        var deaf = _queue.AddReceiver(
            ReceiveMode.PeekLock,
            (_, _) => throw new InvalidOperationException("broken"),
            _ => throw new InvalidOperationException("deaf")
        );
        deaf.Signal();
        Assert.Equal(2, _entities.Defects.Count);
        var both = Assert.IsType<AggregateException>(Assert.Single(told));
        Assert.Equal(["broken", "deaf"], both.InnerExceptions.Select(error => error.Message));
        AssertSound();
    }

    [Fact]
    public void Receiver_that_throws_at_the_end_of_a_drain_is_closed_alone()
    {
        Exception? failure = null;
        var drained = false;
        var broken = _queue.AddReceiver(
            ReceiveMode.PeekLock,
            (_, _) => DeliveryResult.SentWantsMore,
            error => failure = error,
            () => throw new InvalidOperationException("broken")
        );
        var other = _queue.AddReceiver(
            ReceiveMode.PeekLock,
            (_, _) => DeliveryResult.NotSent,
            Assert.Null,
            () => drained = true
        );
        broken.SignalDrain();
        other.SignalDrain();
        Assert.Equal(("broken", true), (failure?.Message, drained));
        AssertSound();
    }

    [Fact]
    public void Failing_log_is_counted_and_has_no_other_effect()
    {
        _entities.Defects.Found += (_, _) => throw new InvalidOperationException("The disk is full.");
        _entities.Defects.Report("a test", new InvalidOperationException());
        Assert.Equal(2, _entities.Defects.Count);
    }

    private void AssertSound()
    {
        Assert.Null(_queue.Failure);
        var receiver = new TestReceiver(_queue, 5);
        _queue.Send("next");
        Assert.Contains("next", receiver.Texts);
    }

    private async Task AssertFailedAsync()
    {
        Assert.Same(
            _queue,
            await _failed.Task.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken)
        );
        Assert.Equal("The clock is broken.", _queue.Failure?.Message);
        Assert.Equal(1, _entities.Defects.Count);
        Assert.Equal(QueueResult.Failed, _queue.Enqueue([QueueFixture.Content("late")], new long[1]));
        // The queue delivers nothing either.
        Assert.Empty(new TestReceiver(_queue, 5).Texts);
    }
}
