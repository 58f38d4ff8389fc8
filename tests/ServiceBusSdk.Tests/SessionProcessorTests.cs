using System.Collections.Concurrent;

namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class SessionProcessorTests(Bus bus) : BusTest(bus)
{
    /// <summary>After it a processor goes on to the next session.</summary>
    private static readonly TimeSpan IdleTime = TimeSpan.FromSeconds(0.5);

    private readonly ConcurrentQueue<ProcessErrorEventArgs> _errors = [];
    private readonly ConcurrentQueue<string> _handled = [];

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
