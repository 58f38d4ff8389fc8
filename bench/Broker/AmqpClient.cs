namespace DroneDelivery.Bench.Broker;

/// <summary>An AMQP 1.0 client with peek-lock.</summary>
internal sealed class AmqpClient : IBrokerClient
{
    public const int SendingLinks = 4;

    public async Task SendAsync(BrokerUnderTest broker, int count)
    {
        var message = MeasuredMessage.Encode(broker.IsDurable);
        await using var connection = await broker.ConnectAsync();
        var session = await connection.BeginSessionAsync(null, CancellationToken.None);
        var shares = Enumerable
            .Range(0, SendingLinks)
            .Select(link => count / SendingLinks + (link < count % SendingLinks ? 1 : 0));
        var links = await Task.WhenAll(shares.Select(share => Sending.StartAsync(broker, session, message, share)));
        await Task.WhenAll(links.Select(link => link.Accepted));
    }

    public async Task ReceiveAsync(BrokerUnderTest broker, int receivers, uint prefetch, int count)
    {
        var remaining = new Remaining(count);
        var connections = await Task.WhenAll(Enumerable.Range(0, receivers).Select(_ => broker.ConnectAsync()));
        foreach (var connection in connections)
        {
            var session = await connection.BeginSessionAsync(null, CancellationToken.None);
            await Receiving.StartAsync(broker, session, prefetch, remaining);
        }
        await remaining.None;
        foreach (var connection in connections)
            await connection.DisposeAsync();
    }
}
