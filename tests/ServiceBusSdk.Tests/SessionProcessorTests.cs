using System.Collections.Concurrent;

namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class SessionProcessorTests(Bus bus) : BusTest(bus)
{
    /// <summary>After it a processor goes on to the next session.</summary>
    private static readonly TimeSpan IdleTime = TimeSpan.FromSeconds(0.5);

    [Fact]
    public async Task Every_session_is_handled_in_its_order()
    {
        var queue = await CreateSessionQueueAsync();
        string[] sessions = ["a", "b", "c", "d"], bodies = ["1", "2", "3", "4", "5"];
        foreach (var session in sessions)
            await SendToSessionAsync(queue, session, bodies);
        var (errors, handled) = (new ConcurrentQueue<Exception>(), new ConcurrentQueue<(string Session, string Body)>());
        var processor = Owned(Client.CreateSessionProcessor(queue, new() { MaxConcurrentSessions = 2, SessionIdleTimeout = IdleTime }));
        processor.ProcessErrorAsync += error =>
        {
            errors.Enqueue(error.Exception);
            return Task.CompletedTask;
        };
        processor.ProcessMessageAsync += args =>
        {
            handled.Enqueue((args.SessionId, args.Message.Body.ToString()));
            return Task.CompletedTask;
        };
        await processor.StartProcessingAsync(Cancelled);

        await Eventually.TrueAsync(() => handled.Count == 20);

        Assert.All(sessions, session => Assert.Equal(bodies, handled.Where(it => it.Session == session).Select(it => it.Body)));
        Assert.Empty(errors);
    }
}
