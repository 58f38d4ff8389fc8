using System.Collections.Concurrent;
using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Processor;

/// <summary>A handler that runs is told when it has lost its lock.</summary>
public sealed class LockLostTests : BusTest
{
    private readonly ManualTimeProvider _time = new();
    private readonly ConcurrentQueue<Exception?> _told = [];
    private readonly TaskCompletionSource _started = new();
    private readonly TaskCompletionSource _gate = new();

    protected override TimeProvider Time => _time;

    [Fact]
    public async Task A_handler_is_told_that_the_lock_of_its_message_has_expired()
    {
        var queue = Broker.CreateQueue(options => options with { LockDuration = TimeSpan.FromSeconds(10) });
        await SendAsync(queue, 1);
        var lost = new TaskCompletionSource<MessageLockLostEventArgs>();
        var options = new ServiceBusProcessorOptions { MaxAutoLockRenewalDuration = TimeSpan.Zero };
        var processor = Owned(Client.CreateProcessor(queue.Name, options));
        processor.ProcessErrorAsync += _ => Task.CompletedTask;
        processor.ProcessMessageAsync += async args =>
        {
            args.MessageLockLostAsync += loss =>
            {
                lost.TrySetResult(loss);
                return Task.CompletedTask;
            };
            await args.RenewMessageLockAsync(args.Message, Cancelled);
            _started.TrySetResult();
            await lost.Task;
        };
        await processor.StartProcessingAsync(Cancelled);
        await _started.Task;

        _time.Advance(TimeSpan.FromSeconds(11));

        var told = await lost.Task.WaitAsync(Patience, Cancelled);
        Assert.Equal(("1", null), (told.Message.MessageId, told.Exception));
    }

    [Fact]
    public async Task A_handler_is_told_why_the_renewal_of_its_lock_was_refused()
    {
        var queue = Broker.CreateQueue(options => options with { LockDuration = TimeSpan.FromSeconds(10) });
        await SendAsync(queue, 1);
        var lost = new TaskCompletionSource<MessageLockLostEventArgs>();
        var processor = Owned(Client.CreateProcessor(queue.Name));
        var other = Owned(Client.CreateReceiver(queue.Name));
        processor.ProcessErrorAsync += _ => Task.CompletedTask;
        processor.ProcessMessageAsync += async args =>
        {
            args.MessageLockLostAsync += loss =>
            {
                lost.TrySetResult(loss);
                return Task.CompletedTask;
            };
            // By a copy: the processor does not know of it.
            var copy = ServiceBusModelFactory.ServiceBusReceivedMessage(lockTokenGuid: Guid.Parse(args.Message.LockToken));
            await other.CompleteMessageAsync(copy, Cancelled);
            _started.TrySetResult();
            await lost.Task;
        };
        await processor.StartProcessingAsync(Cancelled);
        await _started.Task;

        _time.Advance(TimeSpan.FromSeconds(6)); // the renewal is due, and the lock would still last

        var told = await lost.Task.WaitAsync(Patience, Cancelled);
        Assert.Equal(ServiceBusFailureReason.MessageLockLost, Assert.IsType<ServiceBusException>(told.Exception).Reason);
    }

    [Fact]
    public async Task A_handler_is_told_that_its_session_is_lost()
    {
        var queue = CreateSessionQueue(options => options with { LockDuration = TimeSpan.FromSeconds(10) });
        await SendToSessionAsync(queue, "a", "1");
        var lost = new TaskCompletionSource<SessionLockLostEventArgs>();
        var options = new ServiceBusSessionProcessorOptions { MaxAutoLockRenewalDuration = TimeSpan.Zero };
        var processor = Owned(Client.CreateSessionProcessor(queue.Name, options));
        processor.ProcessErrorAsync += _ => Task.CompletedTask;
        processor.ProcessMessageAsync += async args =>
        {
            args.SessionLockLostAsync += loss =>
            {
                lost.TrySetResult(loss);
                return Task.CompletedTask;
            };
            _started.TrySetResult();
            await lost.Task;
        };
        await processor.StartProcessingAsync(Cancelled);
        await _started.Task;
        var end = _time.GetUtcNow().AddSeconds(10);

        _time.Advance(TimeSpan.FromSeconds(11));

        var told = await lost.Task.WaitAsync(Patience, Cancelled);
        Assert.Equal(("1", end), (told.Message.Body.ToString(), told.SessionLockedUntil));
    }

    [Fact]
    public async Task A_renewal_moves_the_moment_and_what_the_broker_says_comes_at_once()
    {
        var until = _time.GetUtcNow().AddSeconds(10);
        var loss = new TaskCompletionSource<Exception>();
        await using var watch = new LockWatch(_time, () => until, loss.Task, TellAsync);

        until = until.AddSeconds(10);
        _time.Advance(TimeSpan.FromSeconds(15));
        Assert.Empty(_told);
        loss.SetResult(new ServiceBusException("gone", ServiceBusFailureReason.MessageLockLost));

        await Eventually.HoldsAsync(() => !_told.IsEmpty);
        Assert.IsType<ServiceBusException>(Assert.Single(_told));
    }

    [Fact]
    public async Task A_handler_that_has_ended_is_not_told()
    {
        var until = _time.GetUtcNow().AddSeconds(10);
        var watch = new LockWatch(_time, () => until, new TaskCompletionSource<Exception>().Task, TellAsync);

        await watch.DisposeAsync();
        _time.Advance(TimeSpan.FromSeconds(20));

        Assert.Empty(_told);
    }

    [Fact]
    public async Task A_handler_ends_when_it_has_been_told()
    {
        var watch = new LockWatch(
            _time, () => DateTimeOffset.MinValue, new TaskCompletionSource<Exception>().Task, async _ => await _gate.Task);
        await Task.Yield();

        var ending = watch.DisposeAsync().AsTask();
        _gate.SetResult();

        await ending.WaitAsync(Patience, Cancelled);
    }

    [Fact]
    public async Task Events_can_be_raised_by_tests_of_handlers()
    {
        var message = ServiceBusModelFactory.ServiceBusReceivedMessage(messageId: "1");
        var args = new ProcessMessageEventArgs(message, new FakeReceiver(), Cancelled);
        var ofSession = new ProcessSessionMessageEventArgs(message, new FakeSessionReceiver(), Cancelled);
        args.MessageLockLostAsync += told => TellAsync(told.Exception);
        ofSession.SessionLockLostAsync += told => TellAsync(told.Exception);

        await args.OnMessageLockLostAsync(new MessageLockLostEventArgs(message, new TimeoutException()));
        await ofSession.OnSessionLockLostAsync(new SessionLockLostEventArgs(message, default, null));
        ofSession.ReleaseSession();

        Assert.Equal([typeof(TimeoutException), null], _told.Select(error => error?.GetType()));
    }

    private Task TellAsync(Exception? error)
    {
        _told.Enqueue(error);
        return Task.CompletedTask;
    }

    private sealed class FakeReceiver : ServiceBusReceiver;

    private sealed class FakeSessionReceiver : ServiceBusSessionReceiver;
}
