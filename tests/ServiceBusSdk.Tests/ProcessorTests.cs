using System.Collections.Concurrent;

namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class ProcessorTests(Bus bus) : BusTest(bus)
{
    private readonly ConcurrentQueue<ProcessErrorEventArgs> _errors = [];
    private readonly ConcurrentQueue<string> _handled = [];
    private readonly TaskCompletionSource _gate = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _running;

    [Theory]
    [InlineData(1, 0)]
    [InlineData(8, 0)]
    [InlineData(8, 50)]
    public async Task Every_message_is_handled_once_and_completed(int calls, int prefetch)
    {
        var queue = await CreateQueueAsync();
        await SendAsync(queue, 200);
        var processor = await StartAsync(
            queue, new() { MaxConcurrentCalls = calls, PrefetchCount = prefetch }, _ => Task.CompletedTask);

        await Eventually.TrueAsync(() => _handled.Count >= 200);
        await processor.StopProcessingAsync(Cancelled);

        Assert.Equal(Enumerable.Range(1, 200), _handled.Select(int.Parse).Order());
        Assert.Null(await Receiver(queue).PeekMessageAsync(cancellationToken: Cancelled));
        Assert.Empty(_errors);
    }

    [Theory]
    [InlineData(1, 0, 1)]
    [InlineData(5, 0, 5)]
    [InlineData(5, 20, 5)]
    [InlineData(8, 3, 3)]
    public async Task As_many_handlers_run_as_there_are_calls_or_messages_prefetched(int calls, int prefetch, int expected)
    {
        var queue = await CreateQueueAsync();
        await SendAsync(queue, 30);
        var most = 0;
        var processor = await StartAsync(queue, new() { MaxConcurrentCalls = calls, PrefetchCount = prefetch }, async _ =>
        {
            var running = Interlocked.Increment(ref _running);
            InterlockedMax(ref most, running);
            await _gate.Task;
            Interlocked.Decrement(ref _running);
        });

        await Eventually.TrueAsync(() => Volatile.Read(ref _running) == expected);
        _gate.SetResult();
        await Eventually.TrueAsync(() => _handled.Count >= 30);
        await processor.StopProcessingAsync(Cancelled);

        Assert.InRange(most, expected, calls);
        Assert.Equal(30, _handled.Count);
    }

    [Fact]
    public async Task A_handler_that_fails_is_reported_and_its_message_abandoned()
    {
        var queue = await CreateQueueAsync(options => options.MaxDeliveryCount = 3);
        await SendAsync(queue, 1);
        var processor = await StartAsync(queue, new(), _ => throw new InvalidOperationException("no good"));

        Assert.Equal("MaxDeliveryCountExceeded", (await OneAsync(DeadLetters(queue))).DeadLetterReason);
        await processor.StopProcessingAsync(Cancelled);

        Assert.Equal(3, _errors.Count);
        Assert.All(_errors, error => Assert.Equal(
            (ServiceBusErrorSource.ProcessMessageCallback, "no good", queue, processor.Identifier),
            (error.ErrorSource, error.Exception.Message, error.EntityPath, error.Identifier)));
    }

    private async Task<ServiceBusProcessor> StartAsync(
        string queue, ServiceBusProcessorOptions options, Func<ProcessMessageEventArgs, Task> handler)
    {
        var processor = Owned(Client.CreateProcessor(queue, options));
        processor.ProcessErrorAsync += error =>
        {
            _errors.Enqueue(error);
            return Task.CompletedTask;
        };
        processor.ProcessMessageAsync += args =>
        {
            _handled.Enqueue(args.Message.Body.ToString());
            return handler(args);
        };
        await processor.StartProcessingAsync(Cancelled);
        return processor;
    }

    private static void InterlockedMax(ref int most, int value)
    {
        for (var seen = Volatile.Read(ref most); value > seen; seen = Volatile.Read(ref most))
            Interlocked.CompareExchange(ref most, value, seen);
    }
}
