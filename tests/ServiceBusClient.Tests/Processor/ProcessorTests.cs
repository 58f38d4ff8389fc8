using System.Collections.Concurrent;
using DroneDelivery.LocalServiceBus.Entities;

namespace Azure.Messaging.ServiceBus.Tests.Processor;

public sealed class ProcessorTests : BusTest
{
    private readonly ConcurrentQueue<ProcessErrorEventArgs> _errors = [];

    [Fact]
    public async Task Every_message_is_handled_once_and_completed()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 200);
        var handled = new ConcurrentBag<string?>();
        var processor = Processor(queue, new() { MaxConcurrentCalls = 8 }, args =>
        {
            handled.Add(args.Message.MessageId);
            return Task.CompletedTask;
        });

        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => queue.Counts().Completed == 200);
        await processor.StopProcessingAsync(Cancelled);

        Assert.Equal(200, handled.Distinct().Count());
        Assert.Equal(200, handled.Count);
        Assert.Empty(_errors);
    }

    [Theory]
    [InlineData(1, 0, 1)]
    [InlineData(5, 0, 5)]
    [InlineData(5, 20, 5)]
    [InlineData(8, 3, 3)]
    public async Task Handlers_run_at_the_same_time_up_to_the_calls_and_to_the_prefetch_count(int calls, int prefetchCount, int expected)
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 50);
        var gate = new TaskCompletionSource();
        var running = 0;
        var most = 0;
        var processor = Processor(queue, new() { MaxConcurrentCalls = calls, PrefetchCount = prefetchCount }, async args =>
        {
            InterlockedMax(ref most, Interlocked.Increment(ref running));
            await gate.Task.WaitAsync(args.CancellationToken);
            Interlocked.Decrement(ref running);
        });

        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => Volatile.Read(ref running) == expected);
        // As many as the rule allows are in hand; the broker has handed out no more than that, so no further handler can start.
        await Eventually.HoldsAsync(() => queue.Counts().Outgoing == Math.Max(expected, prefetchCount));
        gate.SetResult();
        await Eventually.HoldsAsync(() => queue.Counts().Completed == 50);

        Assert.Equal(expected, most);
        Assert.True(await MaxUnsettledAsync(queue) <= Math.Max(expected, prefetchCount));
    }

    [Theory]
    [InlineData(20, 100)]
    [InlineData(4, 7)]
    public async Task Buffered_and_handled_together_are_never_more_than_the_prefetch_count(int calls, int prefetchCount)
    {
        var queue = Broker.CreateQueue();
        for (var part = 0; part < 5; part++)
            await SendAsync(queue, 400);
        var processor = Processor(
            queue, new() { MaxConcurrentCalls = calls, PrefetchCount = prefetchCount }, async _ => await Task.Yield());

        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => queue.Counts().Completed == 2000);

        Assert.Equal(prefetchCount, await MaxUnsettledAsync(queue));
        await HandedOutAsync(queue, 2000);
    }

    [Fact]
    public async Task A_handler_that_fails_is_reported_and_its_message_abandoned()
    {
        var queue = Broker.CreateQueue(options => options with { MaxDeliveryCount = 3 });
        await SendAsync(queue, 1);
        var processor = Processor(queue, new(), _ => throw new InvalidOperationException("no good"));

        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => queue.Counts().DeadLettered == 1);
        await processor.StopProcessingAsync(Cancelled);

        Assert.Equal(3, _errors.Count);
        Assert.All(_errors, error => Assert.Equal(ServiceBusErrorSource.ProcessMessageCallback, error.ErrorSource));
        Assert.All(_errors, error => Assert.Equal("no good", error.Exception.Message));
        Assert.All(
            _errors,
            error => Assert.Equal(
                (queue.Name, "localhost", processor.Identifier), (error.EntityPath, HostOf(error), error.Identifier)));
    }

    [Fact]
    public async Task What_the_handler_settled_itself_is_left_alone()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 3);
        var processor = Processor(queue, new(), args => args.Message.MessageId switch
        {
            "1" => args.CompleteMessageAsync(args.Message),
            "2" => args.DeadLetterMessageAsync(args.Message, "why", "how"),
            _ => args.DeferMessageAsync(args.Message),
        });

        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => queue.Counts().Deferred == 1);
        await processor.StopProcessingAsync(Cancelled);

        Assert.Equal((1, 1), (queue.Counts().Completed, queue.Counts().DeadLettered));
        Assert.Empty(_errors);
    }

    [Fact]
    public async Task Without_auto_complete_a_message_stays_locked()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 2);
        var handled = 0;
        var processor = Processor(queue, new() { AutoCompleteMessages = false }, _ =>
        {
            Interlocked.Increment(ref handled);
            return Task.CompletedTask;
        });

        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => handled == 2);
        await processor.StopProcessingAsync(Cancelled);

        Assert.Equal((2, 0), (queue.Counts().Locked, queue.Counts().Completed));
    }

    [Fact]
    public async Task Stopping_waits_for_the_handlers_and_completes_their_messages()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 2);
        var gate = new TaskCompletionSource();
        var started = new TaskCompletionSource<CancellationToken>();
        var processor = Processor(queue, new(), async args =>
        {
            started.TrySetResult(args.CancellationToken);
            await gate.Task;
        });
        await processor.StartProcessingAsync(Cancelled);
        var token = await started.Task;
        Assert.True(processor.IsProcessing);

        var stopping = processor.StopProcessingAsync(Cancelled);
        Assert.False(stopping.IsCompleted);
        Assert.True(token.IsCancellationRequested);
        gate.SetResult();
        await stopping;

        Assert.False(processor.IsProcessing);
        Assert.Equal((1, 1), (queue.Counts().Completed, queue.Counts().Active));
    }

    [Fact]
    public async Task Calls_become_more_and_fewer_while_the_processor_runs()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 20);
        var running = 0;
        using var turn = new SemaphoreSlim(0);
        var processor = Processor(queue, new() { MaxConcurrentCalls = 2 }, async args =>
        {
            Interlocked.Increment(ref running);
            await turn.WaitAsync(args.CancellationToken);
            Interlocked.Decrement(ref running);
        });
        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => Volatile.Read(ref running) == 2);

        processor.UpdateConcurrency(6);
        await Eventually.HoldsAsync(() => Volatile.Read(ref running) == 6);
        processor.UpdateConcurrency(1);
        processor.UpdateConcurrency(3);
        turn.Release(6);
        await Eventually.HoldsAsync(() => queue.Counts() is { Completed: 6, Locked: 3 } && Volatile.Read(ref running) == 3);
        turn.Release(14);
        await Eventually.HoldsAsync(() => queue.Counts().Completed == 20);

        Assert.Equal((3, true), (processor.MaxConcurrentCalls, processor.IsProcessing));
        Assert.Empty(_errors);
        Assert.Throws<ArgumentOutOfRangeException>(() => processor.UpdateConcurrency(0));
    }

    [Fact]
    public async Task What_is_set_between_two_runs_holds_in_the_next_one()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 5);
        var gate = new TaskCompletionSource();
        var running = 0;
        var processor = Processor(queue, new(), async _ =>
        {
            Interlocked.Increment(ref running);
            await gate.Task;
        });

        processor.UpdateConcurrency(4);
        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => Volatile.Read(ref running) == 4);
        await HandedOutAsync(queue, 4);
        gate.SetResult();
    }

    [Fact]
    public async Task A_stopped_processor_starts_again()
    {
        var queue = Broker.CreateQueue();
        var processor = Processor(queue, new(), _ => Task.CompletedTask);
        await processor.StartProcessingAsync(Cancelled);
        await processor.StopProcessingAsync(Cancelled);
        await SendAsync(queue, 1);

        await processor.StartProcessingAsync(Cancelled);

        await Eventually.HoldsAsync(() => queue.Counts().Completed == 1);
    }

    [Fact]
    public async Task Closing_gives_buffered_messages_back()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 10);
        var started = new TaskCompletionSource();
        var processor = Processor(queue, new() { PrefetchCount = 10 }, async args =>
        {
            started.TrySetResult();
            await Task.Delay(Timeout.InfiniteTimeSpan, args.CancellationToken).ContinueWith(_ => { }, TaskScheduler.Default);
        });
        await processor.StartProcessingAsync(Cancelled);
        await started.Task;
        await Eventually.HoldsAsync(() => queue.Counts().Locked == 10);

        await processor.CloseAsync(Cancelled);

        await Eventually.HoldsAsync(() => queue.Counts() is { Locked: 0, Active: 9, Completed: 1 });
        Assert.True(processor.IsClosed);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => processor.StartProcessingAsync(Cancelled));
    }

    [Fact]
    public async Task A_processor_says_once_that_its_client_was_closed_and_stops()
    {
        var queue = Broker.CreateQueue();
        var processor = Processor(queue, new() { MaxConcurrentCalls = 3 }, _ => Task.CompletedTask);
        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(async () => (await CountersAsync(queue)).GetProperty("links").GetArrayLength() == 1);

        await Client.DisposeAsync();
        await Eventually.HoldsAsync(() => !processor.IsProcessing);

        var error = Assert.Single(_errors);
        Assert.IsType<ObjectDisposedException>(error.Exception);
        Assert.Equal(ServiceBusErrorSource.Receive, error.ErrorSource);
        await processor.StopProcessingAsync(Cancelled);
    }

    [Fact]
    public async Task A_stop_is_cancelled_before_it_begins_or_not_at_all()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 1);
        var gate = new TaskCompletionSource();
        var started = new TaskCompletionSource();
        var processor = Processor(queue, new(), async _ =>
        {
            started.TrySetResult();
            await gate.Task;
        });
        await processor.StartProcessingAsync(Cancelled);
        await started.Task;
        using var cancellation = new CancellationTokenSource();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => processor.StopProcessingAsync(new CancellationToken(canceled: true)));
        Assert.True(processor.IsProcessing);
        var stopping = processor.StopProcessingAsync(cancellation.Token);
        await cancellation.CancelAsync();
        Assert.False(stopping.IsCompleted);
        gate.SetResult();
        await stopping;

        Assert.Equal((1, false), (queue.Counts().Completed, processor.IsProcessing));
    }

    [Fact]
    public async Task What_a_handler_does_at_the_stop_may_fail()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 1);
        var gate = new TaskCompletionSource();
        var started = new TaskCompletionSource();
        var processor = Processor(queue, new(), async args =>
        {
            using var registration = args.CancellationToken.Register(() => throw new InvalidOperationException("at the stop"));
            started.TrySetResult();
            await gate.Task;
        });
        await processor.StartProcessingAsync(Cancelled);
        await started.Task;

        var stopping = processor.StopProcessingAsync(Cancelled);
        gate.SetResult();
        await stopping;

        Assert.False(processor.IsProcessing);
    }

    [Fact]
    public async Task A_processor_needs_both_handlers_and_starts_once()
    {
        var queue = Broker.CreateQueue();
        var bare = Owned(Client.CreateProcessor(queue.Name));
        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => bare.StartProcessingAsync(Cancelled));
        Assert.Contains("ProcessMessageAsync", refusal.Message, StringComparison.Ordinal);
        bare.ProcessMessageAsync += _ => Task.CompletedTask;
        refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => bare.StartProcessingAsync(Cancelled));
        Assert.Contains("ProcessErrorAsync", refusal.Message, StringComparison.Ordinal);
        bare.ProcessErrorAsync += _ => Task.CompletedTask;
        Assert.Throws<NotSupportedException>(() => bare.ProcessErrorAsync += _ => Task.CompletedTask);

        await bare.StartProcessingAsync(Cancelled);

        await Assert.ThrowsAsync<InvalidOperationException>(() => bare.StartProcessingAsync(Cancelled));
    }

    [Fact]
    public async Task An_error_handler_that_fails_stops_nothing()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 2);
        var processor = Owned(Client.CreateProcessor(queue.Name));
        processor.ProcessErrorAsync += _ => throw new InvalidOperationException("the error handler");
        processor.ProcessMessageAsync += args => args.Message is { MessageId: "1", DeliveryCount: 1 }
            ? throw new InvalidOperationException()
            : Task.CompletedTask;

        await processor.StartProcessingAsync(Cancelled);

        await Eventually.HoldsAsync(() => queue.Counts().Completed == 2);
    }

    [Fact]
    public async Task A_missing_queue_is_reported_and_found_when_it_is_there()
    {
        var processor = Owned(Client.CreateProcessor("late"));
        var handled = new TaskCompletionSource();
        processor.ProcessErrorAsync += Collect;
        processor.ProcessMessageAsync += _ =>
        {
            handled.TrySetResult();
            return Task.CompletedTask;
        };
        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => !_errors.IsEmpty);

        await SendAsync(Broker.CreateQueue(name: "late"), 1);

        await handled.Task.WaitAsync(Patience, Cancelled);
        var error = Assert.IsType<ServiceBusException>(_errors.First().Exception);
        Assert.Equal(
            (ServiceBusErrorSource.Receive, ServiceBusFailureReason.MessagingEntityNotFound),
            (_errors.First().ErrorSource, error.Reason));
    }

    [Fact]
    public async Task A_processor_of_the_dead_letter_queue_handles_dead_letters()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 1);
        var receiver = Receiver(queue);
        await receiver.DeadLetterMessageAsync(await OneAsync(receiver), "why", cancellationToken: Cancelled);
        var reason = new TaskCompletionSource<string?>();
        var processor = Processor(queue, new() { SubQueue = SubQueue.DeadLetter }, args =>
        {
            reason.TrySetResult(args.Message.DeadLetterReason);
            return Task.CompletedTask;
        });

        await processor.StartProcessingAsync(Cancelled);

        Assert.Equal("why", await reason.Task.WaitAsync(Patience, Cancelled));
    }

    private ServiceBusProcessor Processor(Queue queue, ServiceBusProcessorOptions options, Func<ProcessMessageEventArgs, Task> handler)
    {
        var processor = Owned(Client.CreateProcessor(queue.Name, options));
        processor.ProcessMessageAsync += handler;
        processor.ProcessErrorAsync += Collect;
        return processor;
    }

    private Task Collect(ProcessErrorEventArgs args)
    {
        _errors.Enqueue(args);
        return Task.CompletedTask;
    }

    private async Task<int> MaxUnsettledAsync(Queue queue) =>
        (await CountersAsync(queue)).GetProperty("links").EnumerateArray().Max(link => link.GetProperty("maxUnsettled").GetInt32());

    private static string HostOf(ProcessErrorEventArgs error) =>
        error.FullyQualifiedNamespace.Replace("127.0.0.1", "localhost", StringComparison.Ordinal);

    private static void InterlockedMax(ref int target, int value)
    {
        int current;
        while (value > (current = Volatile.Read(ref target)) && Interlocked.CompareExchange(ref target, value, current) != current)
        {
        }
    }
}
