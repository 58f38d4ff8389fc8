namespace DroneDelivery.Bench.Broker.Stomp;

/// <summary>STOMP 1.2: text frames. It has no links, so each sender has a connection, too.</summary>
internal sealed class StompClient : IBrokerClient
{
    public const string Difference =
        "another protocol, STOMP 1.2 with text frames, because Debian's package has no AMQP; "
        + "each sender has a connection instead of a link, and prefetch 0 is a prefetch of 1";

    private const int Senders = AmqpClient.SendingLinks;

    public Task SendAsync(BrokerUnderTest broker, int properties, int count) =>
        Send(broker, properties, count, Senders, Sending.Window);

    public Task ReceiveAsync(BrokerUnderTest broker, int receivers, uint prefetch, int count) =>
        Receive(broker, receivers, prefetch, withReceipts: false, count);

    public Task PairsAsync(BrokerUnderTest broker, int properties, int connections, int count) =>
        Task.WhenAll(
            Receive(broker, connections, AnsweredPairs.Prefetch, withReceipts: true, count),
            Send(broker, properties, count, connections, AnsweredPairs.Callers / connections)
        );

    private static async Task Send(BrokerUnderTest broker, int properties, int count, int senders, int window)
    {
        var frame = new SendFrame(broker.QueueAddress, broker.IsDurable, properties);
        var messages = new Unsent(count);
        await Task.WhenAll(Enumerable.Range(0, senders).Select(_ => SendOverOne()));

        async Task SendOverOne()
        {
            using var connection = await StompConnection.OpenAsync(broker.Port);
            await StompSending.Run(connection, frame, window, messages);
        }
    }

    private static async Task Receive(
        BrokerUnderTest broker,
        int receivers,
        uint prefetch,
        bool withReceipts,
        int count
    )
    {
        var remaining = new Remaining(count);
        var connections = await Task.WhenAll(
            Enumerable.Range(0, receivers).Select(_ => StompConnection.OpenAsync(broker.Port))
        );
        var all = connections.Select(connection => new StompReceiving(connection, withReceipts, remaining)).ToList();
        var running = all.Select(receiving => receiving.RunAsync(broker.QueueAddress, prefetch)).ToList();
        // A receiver that ends before it is told to has failed.
        await await Task.WhenAny([remaining.None, .. running]);
        await Task.WhenAll(all.Select(receiving => receiving.StopAsync()));
        await Task.WhenAll(running);
        foreach (var connection in connections)
            connection.Dispose();
    }
}
