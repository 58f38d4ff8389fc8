using System.Collections.Concurrent;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Processor;

public sealed class LockRenewalTests : BusTest
{
    private readonly ManualTimeProvider _time = new();
    private readonly ConcurrentQueue<ProcessErrorEventArgs> _errors = [];
    private readonly TaskCompletionSource _gate = new();
    private readonly TaskCompletionSource<ServiceBusReceivedMessage> _started = new();

    protected override TimeProvider Time => _time;

    [Theory]
    [InlineData(0.3, 0)]
    [InlineData(5, 2.5)]
    [InlineData(20, 10)]
    [InlineData(60, 50)]
    public void A_renewal_is_due_half_way_but_not_earlier_than_10_s_before_the_end(double left, double until) =>
        Assert.Equal(TimeSpan.FromSeconds(until), LockRenewal.UntilRenewal(TimeSpan.FromSeconds(left)));

    [Fact]
    public async Task The_lock_of_a_message_is_renewed_while_its_handler_runs()
    {
        var queue = QueueWithShortLock();
        await SendAsync(queue, 1);
        var processor = Processor(queue, new());
        await processor.StartProcessingAsync(Cancelled);
        var message = await _started.Task;

        for (var renewal = 1; renewal <= 4; renewal++)
            await AdvanceToRenewalAsync(message);

        _gate.SetResult();
        await Eventually.HoldsAsync(() => queue.Counts().Completed == 1);
        Assert.Empty(_errors);
        await HandedOutAsync(queue, 1);
    }

    [Fact]
    public async Task Buffered_messages_are_not_renewed_and_are_handled_although_their_lock_is_gone()
    {
        var queue = QueueWithShortLock();
        await SendAsync(queue, 2);
        var processor = Processor(queue, new() { PrefetchCount = 2 });
        await processor.StartProcessingAsync(Cancelled);
        var message = await _started.Task;
        await Eventually.HoldsAsync(() => queue.Counts().Locked == 2);

        for (var renewal = 1; renewal <= 3; renewal++)
            await AdvanceToRenewalAsync(message);

        await Eventually.HoldsAsync(() => queue.Counts().ExpiredLocks == 1);
        _gate.SetResult();
        // The second message was handled too: its completion is what the broker refuses.
        await Eventually.HoldsAsync(() => _errors.Any(error => error.ErrorSource == ServiceBusErrorSource.Complete));
        Assert.All(
            _errors,
            error => Assert.Equal(
                ServiceBusFailureReason.MessageLockLost, Assert.IsType<ServiceBusException>(error.Exception).Reason));
        Assert.Equal(0, queue.Counts().Abandoned);
    }

    [Fact]
    public async Task Renewal_ends_after_its_longest_duration()
    {
        var queue = QueueWithShortLock();
        await SendAsync(queue, 1);
        var processor = Processor(queue, new() { MaxAutoLockRenewalDuration = TimeSpan.FromSeconds(7) });
        await processor.StartProcessingAsync(Cancelled);
        var message = await _started.Task;

        _time.Advance(TimeSpan.FromSeconds(5));
        await Eventually.HoldsAsync(() => message.LockedUntil == _time.GetUtcNow().AddSeconds(10));
        _time.Advance(TimeSpan.FromSeconds(2.5));
        _time.Advance(TimeSpan.FromSeconds(10));

        await Eventually.HoldsAsync(() => queue.Counts().ExpiredLocks == 1);
        Assert.Empty(_errors);
    }

    [Fact]
    public async Task Without_renewal_a_slow_handler_loses_its_lock_and_the_message_is_not_abandoned()
    {
        var queue = QueueWithShortLock();
        await SendAsync(queue, 1);
        var processor = Processor(queue, new() { MaxAutoLockRenewalDuration = TimeSpan.Zero });
        await processor.StartProcessingAsync(Cancelled);
        await _started.Task;

        _time.Advance(TimeSpan.FromSeconds(11));
        _gate.SetResult();

        await Eventually.HoldsAsync(() => !_errors.IsEmpty);
        Assert.Equal(ServiceBusErrorSource.Complete, _errors.First().ErrorSource);
        Assert.Equal(ServiceBusFailureReason.MessageLockLost, Assert.IsType<ServiceBusException>(_errors.First().Exception).Reason);
        Assert.Equal(0, queue.Counts().Abandoned);
    }

    [Fact]
    public async Task Locks_are_renewed_while_the_processor_stops_and_waits_for_its_handlers()
    {
        var queue = QueueWithShortLock();
        await SendAsync(queue, 1);
        var processor = Processor(queue, new(), _ => _gate.Task);
        await processor.StartProcessingAsync(Cancelled);
        var message = await _started.Task;

        var stopping = processor.StopProcessingAsync(Cancelled);
        for (var renewal = 1; renewal <= 3; renewal++)
            await AdvanceToRenewalAsync(message);
        _gate.SetResult();
        await stopping;

        Assert.Empty(_errors);
        Assert.Equal((1, 0), (queue.Counts().Completed, queue.Counts().ExpiredLocks));
    }

    [Fact]
    public async Task A_lock_that_cannot_be_renewed_is_reported_once()
    {
        var queue = QueueWithShortLock();
        await SendAsync(queue, 2);
        var processor = Processor(queue, new() { PrefetchCount = 2 });
        await processor.StartProcessingAsync(Cancelled);
        await _started.Task;
        await Eventually.HoldsAsync(() => queue.Counts().Locked == 2);

        // In one step: the clock of the lock runs out before the renewal that is due on the way has been answered.
        _time.Advance(TimeSpan.FromSeconds(60));

        await Eventually.HoldsAsync(() => _errors.Any(error => error.ErrorSource == ServiceBusErrorSource.RenewLock));
        // Time enough for many more tries, which would go the same way as these.
        for (var request = 0; request < 5; request++)
            await Receiver(queue).PeekMessageAsync(cancellationToken: Cancelled);
        Assert.Single(_errors, error => error.ErrorSource == ServiceBusErrorSource.RenewLock);
        _gate.SetResult();
    }

    [Fact]
    public async Task A_renewal_that_may_succeed_when_tried_again_is_reported_and_tried_again()
    {
        var receiver = new BusyAtFirst(_time);
        var message = ServiceBusModelFactory.ServiceBusReceivedMessage(lockedUntil: _time.GetUtcNow().AddSeconds(10));
        var told = new ConcurrentQueue<Exception>();
        await using var renewal = new MessageLockRenewal(receiver, message, Timeout.InfiniteTimeSpan, _time, error =>
        {
            told.Enqueue(error);
            return Task.CompletedTask;
        });

        await AdvanceToRenewalAsync(message);

        Assert.Equal(ServiceBusFailureReason.ServiceBusy, Assert.IsType<ServiceBusException>(Assert.Single(told)).Reason);
    }

    [Fact]
    public async Task A_message_that_its_handler_has_settled_is_not_renewed()
    {
        var receiver = new BusyAtFirst(_time);
        var message = ServiceBusModelFactory.ServiceBusReceivedMessage(lockedUntil: _time.GetUtcNow().AddSeconds(10));
        await using var renewal = new MessageLockRenewal(receiver, message, Timeout.InfiniteTimeSpan, _time, _ => Task.CompletedTask);

        message.IsSettled = true;
        _time.Advance(TimeSpan.FromSeconds(10));

        Assert.Equal(0, receiver.Renewals);
    }

    /// <summary>Until 0.2 s before the lock expires: then the next renewal is due, whenever its wait began.</summary>
    private async Task AdvanceToRenewalAsync(ServiceBusReceivedMessage message)
    {
        var lockedUntil = message.LockedUntil;
        await Eventually.HoldsAsync(() =>
        {
            if (_time.GetUtcNow() < lockedUntil.AddSeconds(-0.2))
                _time.Advance(TimeSpan.FromSeconds(0.2));
            return message.LockedUntil > lockedUntil;
        });
    }

    private Queue QueueWithShortLock() => Broker.CreateQueue(options => options with { LockDuration = TimeSpan.FromSeconds(10) });

    private ServiceBusProcessor Processor(Queue queue, ServiceBusProcessorOptions options) =>
        Processor(queue, options, args => _gate.Task.WaitAsync(args.CancellationToken));

    private ServiceBusProcessor Processor(Queue queue, ServiceBusProcessorOptions options, Func<ProcessMessageEventArgs, Task> work)
    {
        var processor = Owned(Client.CreateProcessor(queue.Name, options));
        processor.ProcessMessageAsync += args =>
        {
            _started.TrySetResult(args.Message);
            return work(args);
        };
        processor.ProcessErrorAsync += args =>
        {
            _errors.Enqueue(args);
            return Task.CompletedTask;
        };
        return processor;
    }

    /// <summary>Renews from the second time on.</summary>
    private sealed class BusyAtFirst(TimeProvider time) : ServiceBusReceiver
    {
        private int _renewals;

        public int Renewals => _renewals;

        public override Task RenewMessageLockAsync(ServiceBusReceivedMessage message, CancellationToken cancellationToken = default)
        {
            if (++_renewals == 1)
                return Task.FromException(new ServiceBusException("Too many requests.", ServiceBusFailureReason.ServiceBusy));
            message.LockedUntil = time.GetUtcNow().AddSeconds(10);
            return Task.CompletedTask;
        }
    }
}
