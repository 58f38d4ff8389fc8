using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.LocalServiceBus.Tests.Hosting;

public sealed class AmqpOnThePortTests
{
    [Theory]
    [InlineData("no more than the name", "")]
    [InlineData("a version nobody has", "00090909")]
    [InlineData("a frame of 4 GB", "00010000" + "FFFFFFFFFFFFFFFF")]
    [InlineData("zeros where SASL should be", "03010000" + "0000000000000000000000000000000000000000")]
    [InlineData("a list longer than its frame", "00010000" + "0000000C02000000C0FFFFFF")]
    public async Task Amqp_that_is_broken_ends_its_connection_and_harms_nobody_else(string fault, string hexAfterName)
    {
        byte[] bytes = [.. "AMQP"u8, .. Convert.FromHexString(hexAfterName)];
        var log = new RecordedLog();
        await using var broker = await BrokerFixture.StartAsync(new LocalServiceBusOptions { Port = 0, LoggerFactory = log }, Cancel);
        using var client = new TcpClient();
        await client.ConnectAsync(broker.Broker.Address.Host, broker.Broker.Address.Port, Cancel);
        var stream = client.GetStream();

        await stream.WriteAsync(bytes, Cancel);
        client.Client.Shutdown(SocketShutdown.Send);
        await stream.CopyToAsync(Stream.Null, Cancel); // ends when the broker closes

        Assert.False(log.All.Any(entry => entry.Level >= LogLevel.Warning), $"{fault} was logged loudly");
        await using var other = await ConnectAsync(broker);
        Assert.Equal("local-service-bus", other.RemoteOpen.ContainerId);
    }

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
