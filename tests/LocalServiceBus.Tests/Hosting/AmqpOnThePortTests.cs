using System.Net;
using System.Text.Json;

namespace DroneDelivery.LocalServiceBus.Tests.Hosting;

public sealed class AmqpOnThePortTests
{
    [Fact]
    public async Task A_broker_that_stops_tells_its_clients()
    {
        var broker = await BrokerFixture.StartAsync(cancellationToken: Cancel);
        await using var client = await ConnectAsync(broker);

        await broker.DisposeAsync();

        var error = await client.Closed.WaitAsync(TimeSpan.FromSeconds(60), Cancel);
        Assert.Equal(ErrorConditions.ConnectionForced, error?.Condition.Value);
    }

    [Fact]
    public async Task Dropped_connections_end_without_a_word()
    {
        await using var broker = await BrokerFixture.StartAsync(cancellationToken: Cancel);
        await using var first = await ConnectAsync(broker);
        await using var second = await ConnectAsync(broker);
        using var http = new HttpClient { BaseAddress = broker.Broker.Address };
        // Counted after the answers that the clients wait for.
        await AmqpClient.Until(async () => await ConnectionsAsync(http) == 2, "both connections are counted");

        using var answer = await http.PostAsync(new Uri("/$connections/drop", UriKind.Relative), null, Cancel);

        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        Assert.Equal("""{"dropped":2}""", await answer.Content.ReadAsStringAsync(Cancel));
        await Task.WhenAll(first.Closed, second.Closed).WaitAsync(TimeSpan.FromSeconds(60), Cancel);
        await AmqpClient.Until(async () => await ConnectionsAsync(http) == 0, "no connection is counted");
    }

    private static async Task<int> ConnectionsAsync(HttpClient http)
    {
        using var counters = JsonDocument.Parse(await http.GetStringAsync(new Uri("/$counters", UriKind.Relative), Cancel));
        return counters.RootElement.GetProperty("connections").GetInt32();
    }

    private static Task<AmqpConnection> ConnectAsync(BrokerFixture broker) => AmqpDialer.ConnectAsync(
        broker.Broker.Address.Host, broker.Broker.Address.Port, SaslClient.Anonymous, new AmqpConnectionOptions(), Cancel);
}
