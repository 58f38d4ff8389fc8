using System.Collections.Concurrent;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Processor;

public sealed class SessionProcessorTests : BusTest
{
    private readonly ManualTimeProvider _time = new();
    private readonly ConcurrentQueue<ProcessErrorEventArgs> _errors = [];
    private readonly ConcurrentQueue<string> _events = [];
    private readonly TaskCompletionSource _gate = new();

    protected override TimeProvider Time => _time;

    [Fact]
    public async Task Every_message_is_handled_once_and_in_the_order_of_its_session()
    {
        var queue = CreateSessionQueue();
        string[] bodies = [.. Enumerable.Range(0, 20).Select(number => $"{number:00}")];
        foreach (var session in new[] { "a", "b", "c", "d" })
            await SendToSessionAsync(queue, session, bodies);
        var processor = Processor(queue, new() { MaxConcurrentSessions = 4 }, _ => Task.CompletedTask);

        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => queue.Counts().Completed == 80);
        await processor.StopProcessingAsync(Cancelled);

        foreach (var session in new[] { "a", "b", "c", "d" })
            Assert.Equal(bodies, _events.Where(e => e.StartsWith($"{session}:", StringComparison.Ordinal)).Select(e => e[2..]));
        Assert.Empty(_errors);
    }

    [Fact]
    public async Task A_session_is_initialized_handled_and_closed_when_no_message_comes_any_more()
    {
        var queue = CreateSessionQueue();
        await SendToSessionAsync(queue, "a", "1", "2");
        var processor = Processor(
            queue, new() { MaxConcurrentSessions = 1, SessionIdleTimeout = TimeSpan.FromSeconds(5) }, _ => Task.CompletedTask);

        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => queue.Counts().Completed == 2);
        await AdvanceUntilAsync(() => _events.Contains("closing a"));
        await SendToSessionAsync(queue, "b", "1");
        await Eventually.HoldsAsync(() => queue.Counts().Completed == 3);

        Assert.Equal(["initializing a", "a:1", "a:2", "closing a", "initializing b", "b:1"], _events);
        Assert.Empty(_errors);
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 1)]
    [InlineData(2, 3)]
    public async Task Handlers_run_at_the_same_time_up_to_the_sessions_and_the_calls_for_each(int sessions, int calls)
    {
        var queue = CreateSessionQueue();
        foreach (var session in new[] { "a", "b", "c" })
            await SendToSessionAsync(queue, session, "1", "2", "3", "4");
        var running = new ConcurrentDictionary<ProcessSessionMessageEventArgs, bool>();
        var options = new ServiceBusSessionProcessorOptions { MaxConcurrentSessions = sessions, MaxConcurrentCallsPerSession = calls };
        var processor = Processor(queue, options, async args =>
        {
            running[args] = true;
            await _gate.Task;
        });

        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => running.Count == sessions * calls);
        // The broker has handed out no more than that, so no further handler can start.
        await HandedOutAsync(queue, sessions * calls);
        Assert.Equal(sessions, running.Keys.Select(args => args.SessionId).Distinct().Count());
        _gate.SetResult();
    }

    [Fact]
    public async Task Only_the_named_sessions_are_taken_in_turn()
    {
        var queue = CreateSessionQueue();
        foreach (var session in new[] { "a", "b", "c" })
            await SendToSessionAsync(queue, session, "1");
        var options = new ServiceBusSessionProcessorOptions
        {
            MaxConcurrentSessions = 1,
            SessionIdleTimeout = TimeSpan.FromSeconds(5),
            SessionIds = { "c", "a" },
        };
        var processor = Processor(queue, options, _ => Task.CompletedTask);

        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => queue.Counts().Completed == 1);
        await AdvanceUntilAsync(() => _events.Contains("closing c"));
        await Eventually.HoldsAsync(() => queue.Counts().Completed == 2);

        Assert.Equal(["initializing c", "c:1", "closing c", "initializing a", "a:1"], _events);
        Assert.Equal(1, queue.Counts().Active);
    }

    [Fact]
    public async Task Named_sessions_stay_open_when_there_is_a_place_for_each()
    {
        var queue = CreateSessionQueue();
        var options = new ServiceBusSessionProcessorOptions { SessionIdleTimeout = TimeSpan.FromSeconds(1), SessionIds = { "a", "b" } };
        var processor = Processor(queue, options, _ => Task.CompletedTask);
        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => _events.Count == 2);

        for (var idle = 0; idle < 10; idle++)
        {
            _time.Advance(TimeSpan.FromSeconds(1));
            await SendToSessionAsync(queue, "a", $"{idle}"); // a round trip: time enough to close
        }

        await Eventually.HoldsAsync(() => queue.Counts().Completed == 10);
        Assert.DoesNotContain(_events, e => e.StartsWith("closing", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_handler_that_fails_is_reported_and_its_message_abandoned()
    {
        var queue = CreateSessionQueue(options => options with { MaxDeliveryCount = 2 });
        await SendToSessionAsync(queue, "a", "1");
        var processor = Processor(queue, new(), _ => throw new InvalidOperationException("no good"));

        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => queue.Counts().DeadLettered == 1);
        await processor.StopProcessingAsync(Cancelled);

        Assert.Equal(["a:1", "a:1"], _events.Skip(1));
        Assert.Equal(2, _errors.Count);
        Assert.All(_errors, error => Assert.Equal(ServiceBusErrorSource.ProcessMessageCallback, error.ErrorSource));
        Assert.All(_errors, error => Assert.Equal((queue.Name, processor.Identifier), (error.EntityPath, error.Identifier)));
    }

    [Fact]
    public async Task Handlers_of_sessions_that_fail_are_reported_and_stop_nothing()
    {
        var queue = CreateSessionQueue();
        await SendToSessionAsync(queue, "a", "1");
        var processor = Owned(Client.CreateSessionProcessor(queue.Name));
        processor.ProcessMessageAsync += _ => Task.CompletedTask;
        processor.ProcessErrorAsync += Collect;
        processor.SessionInitializingAsync += _ => throw new InvalidOperationException("initializing");
        processor.SessionClosingAsync += _ => throw new InvalidOperationException("closing");

        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => queue.Counts().Completed == 1);
        await processor.CloseAsync(Cancelled);

        Assert.Equal(
            [(ServiceBusErrorSource.AcceptSession, "initializing"), (ServiceBusErrorSource.CloseSession, "closing")],
            _errors.Select(error => (error.ErrorSource, error.Exception.Message)));
    }

    [Fact]
    public async Task A_handler_keeps_state_and_gives_the_session_back_for_the_next_one()
    {
        var queue = CreateSessionQueue();
        await SendToSessionAsync(queue, "a", "1");
        await SendToSessionAsync(queue, "b", "1");
        var released = new TaskCompletionSource<CancellationToken>();
        var processor = Processor(queue, new() { MaxConcurrentSessions = 1 }, async args =>
        {
            await args.SetSessionStateAsync(new BinaryData(args.Message.Body.ToString()), Cancelled);
            args.ReleaseSession();
            released.TrySetResult(args.CancellationToken);
        });

        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => _events.Contains("closing b"));

        Assert.Equal(["initializing a", "a:1", "closing a", "initializing b", "b:1", "closing b"], _events);
        Assert.True((await released.Task).IsCancellationRequested);
        Assert.Equal(2, queue.Counts().Completed);
        var next = Owned(await Client.AcceptSessionAsync(queue.Name, "a", cancellationToken: Cancelled));
        Assert.Equal("1", (await next.GetSessionStateAsync(Cancelled))?.ToString());
    }

    [Fact]
    public async Task A_session_stays_open_when_the_processor_stops_and_goes_back_when_it_is_closed()
    {
        var queue = CreateSessionQueue();
        await SendToSessionAsync(queue, "a", "1");
        var processor = Processor(queue, new(), _ => Task.CompletedTask);
        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => queue.Counts().Completed == 1);

        await processor.StopProcessingAsync(Cancelled);
        var taken = await Assert.ThrowsAsync<ServiceBusException>(
            () => Client.AcceptSessionAsync(queue.Name, "a", cancellationToken: Cancelled));
        await SendToSessionAsync(queue, "a", "2");
        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => queue.Counts().Completed == 2);
        await processor.CloseAsync(Cancelled);

        Assert.Equal(ServiceBusFailureReason.SessionCannotBeLocked, taken.Reason);
        Assert.Equal(["initializing a", "a:1", "a:2", "closing a"], _events);
        Assert.Equal((true, false), (processor.IsClosed, processor.IsProcessing));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => processor.StartProcessingAsync(Cancelled));
    }

    [Fact]
    public async Task The_lock_of_a_session_is_renewed_while_a_handler_runs()
    {
        var queue = CreateSessionQueue(options => options with { LockDuration = TimeSpan.FromSeconds(10) });
        await SendToSessionAsync(queue, "a", "1");
        var started = new TaskCompletionSource<ProcessSessionMessageEventArgs>();
        var processor = Processor(queue, new(), async args =>
        {
            started.TrySetResult(args);
            await _gate.Task;
        });
        await processor.StartProcessingAsync(Cancelled);
        var handled = await started.Task;

        for (var renewal = 1; renewal <= 3; renewal++)
        {
            var before = handled.SessionLockedUntil;
            await Eventually.HoldsAsync(() =>
            {
                if (_time.GetUtcNow() < before.AddSeconds(-0.2))
                    _time.Advance(TimeSpan.FromSeconds(0.2));
                return handled.SessionLockedUntil > before;
            });
        }

        _gate.SetResult();
        await Eventually.HoldsAsync(() => queue.Counts().Completed == 1);
        Assert.Empty(_errors);
    }

    [Fact]
    public async Task A_session_that_is_lost_is_reported_once_closed_and_taken_anew()
    {
        var queue = CreateSessionQueue(options => options with { LockDuration = TimeSpan.FromSeconds(10) });
        await SendToSessionAsync(queue, "a", "1");
        var lost = new TaskCompletionSource();
        var options = new ServiceBusSessionProcessorOptions
        {
            MaxAutoLockRenewalDuration = TimeSpan.Zero,
            MaxConcurrentSessions = 1,
            MaxConcurrentCallsPerSession = 3,
        };
        var processor = Processor(queue, options, async args =>
        {
            if (args.Message.DeliveryCount > 1)
                return;
            using var registration = args.CancellationToken.Register(lost.SetResult);
            await lost.Task;
        });
        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => _events.Contains("a:1"));

        _time.Advance(TimeSpan.FromSeconds(11));
        await Eventually.HoldsAsync(() => queue.Counts().Completed == 1);

        Assert.Equal(["initializing a", "a:1", "closing a", "initializing a", "a:1"], _events);
        // The one receive that waited, and the completion that came too late.
        Assert.All(_errors, error => Assert.Equal(
            ServiceBusFailureReason.SessionLockLost, Assert.IsType<ServiceBusException>(error.Exception).Reason));
        Assert.Equal(
            [ServiceBusErrorSource.Complete, ServiceBusErrorSource.Receive], _errors.Select(error => error.ErrorSource).Order());
    }

    [Fact]
    public async Task Sessions_and_calls_become_more_and_fewer_while_the_processor_runs()
    {
        var queue = CreateSessionQueue();
        foreach (var session in new[] { "a", "b", "c" })
            await SendToSessionAsync(queue, session, "1", "2");
        var running = 0;
        using var turn = new SemaphoreSlim(0);
        var processor = Processor(queue, new() { MaxConcurrentSessions = 1 }, async _ =>
        {
            Interlocked.Increment(ref running);
            await turn.WaitAsync(Cancelled);
            Interlocked.Decrement(ref running);
        });
        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => Volatile.Read(ref running) == 1);

        processor.UpdateConcurrency(3, 2);
        await Eventually.HoldsAsync(() => Volatile.Read(ref running) == 6);
        processor.UpdateConcurrency(1, 1);
        turn.Release(6);
        await Eventually.HoldsAsync(() => _events.Count(e => e.StartsWith("closing", StringComparison.Ordinal)) == 2);

        Assert.Equal((1, 1), (processor.MaxConcurrentSessions, processor.MaxConcurrentCallsPerSession));
        Assert.Equal(
            "maxConcurrentSessions", Assert.Throws<ArgumentOutOfRangeException>(() => processor.UpdateConcurrency(0, 1)).ParamName);
        Assert.Empty(_errors);
    }

    [Fact]
    public async Task A_processor_says_once_that_its_client_was_closed_and_stops()
    {
        var queue = CreateSessionQueue();
        await SendToSessionAsync(queue, "a", "1");
        var processor = Processor(queue, new() { MaxConcurrentSessions = 2 }, _ => Task.CompletedTask);
        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => queue.Counts().Completed == 1);

        await Client.DisposeAsync();
        await AdvanceUntilAsync(() => !processor.IsProcessing);

        Assert.Single(_errors, error => error.Exception is ObjectDisposedException);
    }

    [Fact]
    public async Task A_processor_needs_both_handlers()
    {
        var processor = Owned(Client.CreateSessionProcessor("orders"));
        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => processor.StartProcessingAsync(Cancelled));
        Assert.Contains("ProcessMessageAsync", refusal.Message, StringComparison.Ordinal);
        processor.ProcessMessageAsync += _ => Task.CompletedTask;

        refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => processor.StartProcessingAsync(Cancelled));

        Assert.Contains("ProcessErrorAsync", refusal.Message, StringComparison.Ordinal);
        Assert.Throws<NotSupportedException>(() => processor.ProcessMessageAsync += _ => Task.CompletedTask);
    }

    private ServiceBusSessionProcessor Processor(
        Queue queue, ServiceBusSessionProcessorOptions options, Func<ProcessSessionMessageEventArgs, Task> handler)
    {
        var processor = Owned(Client.CreateSessionProcessor(queue.Name, options));
        processor.ProcessErrorAsync += Collect;
        processor.ProcessMessageAsync += args =>
        {
            _events.Enqueue($"{args.SessionId}:{args.Message.Body}");
            return handler(args);
        };
        processor.SessionInitializingAsync += args => Note($"initializing {args.SessionId}");
        processor.SessionClosingAsync += args => Note($"closing {args.SessionId}");
        return processor;
    }

    private Task Note(string what)
    {
        _events.Enqueue(what);
        return Task.CompletedTask;
    }

    private Task Collect(ProcessErrorEventArgs args)
    {
        _errors.Enqueue(args);
        return Task.CompletedTask;
    }

    private Task AdvanceUntilAsync(Func<bool> condition) => Eventually.HoldsAsync(() =>
    {
        if (condition())
            return true;
        _time.Advance(TimeSpan.FromSeconds(0.5));
        return false;
    });
}
