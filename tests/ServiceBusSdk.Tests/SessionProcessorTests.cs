using System.Collections.Concurrent;

namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class SessionProcessorTests(Bus bus) : BusTest(bus)
{
    /// <summary>After it a processor goes on to the next session.</summary>
    private static readonly TimeSpan IdleTime = TimeSpan.FromSeconds(0.5);

    private readonly ConcurrentQueue<ProcessErrorEventArgs> _errors = [];
    private readonly ConcurrentQueue<string> _handled = [];
    private readonly TaskCompletionSource _gate = new(TaskCreationOptions.RunContinuationsAsynchronously);

    [Fact]
    public async Task Every_session_is_handled_in_its_order()
    {
        var queue = await CreateSessionQueueAsync();
        string[] sessions = ["a", "b", "c", "d"], bodies = ["1", "2", "3", "4", "5"];
        foreach (var session in sessions)
            await SendToSessionAsync(queue, session, bodies);
        await StartAsync(queue, new() { MaxConcurrentSessions = 2, SessionIdleTimeout = IdleTime }, _ => Task.CompletedTask);

        await Eventually.HoldsAsync(() => _handled.Count == 20);

        Assert.All(sessions, session => Assert.Equal(
            bodies, _handled.Where(handled => handled[0] == session[0]).Select(handled => handled[2..])));
        Assert.Empty(_errors);
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 1)]
    [InlineData(2, 3)]
    public async Task As_many_handlers_run_as_there_are_sessions_and_calls_for_each(int sessions, int calls)
    {
        var queue = await CreateSessionQueueAsync();
        foreach (var session in new[] { "a", "b", "c" })
            await SendToSessionAsync(queue, session, "1", "2", "3", "4");
        var running = new ConcurrentDictionary<string, int>();
        var options = new ServiceBusSessionProcessorOptions
        {
            MaxConcurrentSessions = sessions,
            MaxConcurrentCallsPerSession = calls,
            SessionIdleTimeout = IdleTime,
        };
        await StartAsync(queue, options, async args =>
        {
            running.AddOrUpdate(args.SessionId, 1, (_, count) => count + 1);
            await _gate.Task;
        });

        await Eventually.HoldsAsync(() => running.Values.Sum() == sessions * calls);

        Assert.Equal(Enumerable.Repeat(calls, sessions), running.Values);
        _gate.SetResult();
        await Eventually.HoldsAsync(() => _handled.Count == 12);
        Assert.Empty(_errors);
    }

    private async Task<ServiceBusSessionProcessor> StartAsync(
        string queue, ServiceBusSessionProcessorOptions options, Func<ProcessSessionMessageEventArgs, Task> handler)
    {
        var processor = Owned(Client.CreateSessionProcessor(queue, options));
        processor.ProcessErrorAsync += error =>
        {
            _errors.Enqueue(error);
            return Task.CompletedTask;
        };
        processor.ProcessMessageAsync += args =>
        {
            _handled.Enqueue($"{args.SessionId}:{args.Message.Body}");
            return handler(args);
        };
        await processor.StartProcessingAsync(Cancelled);
        return processor;
    }
}
