using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using DroneDelivery.Amqp;

namespace DroneDelivery.Bench.Broker;

/// <summary>What benchmarks ask of the local Service Bus besides messages.</summary>
internal static class BrokerCalls
{
    public static Task<AmqpConnection> ConnectAsync(this BrokerUnderTest broker) =>
        AmqpDialer.ConnectAsync(
            "127.0.0.1",
            broker.Port,
            broker.Login,
            new AmqpConnectionOptions(),
            CancellationToken.None
        );

    /// <param name="broker">Where.</param>
    /// <param name="name">Of the queue.</param>
    /// <param name="properties">In the XML of the management API; empty: as the service has them.</param>
    public static async Task CreateQueueAsync(this BrokerUnderTest broker, string name, string properties = "")
    {
        var entry = $"""
            <entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><QueueDescription
             xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">{properties}</QueueDescription></content></entry>
            """;
        using var http = Client(broker);
        using var body = new StringContent(entry, Encoding.UTF8, "application/atom+xml");
        using var answer = await http.PutAsync(new Uri(name, UriKind.Relative), body);
        answer.EnsureSuccessStatusCode();
    }

    /// <summary>One of the figures of <c>/$counters</c>.</summary>
    public static async Task<long> CountAsync(this BrokerUnderTest broker, string queue, string figure)
    {
        using var http = Client(broker);
        using var counters = JsonDocument.Parse(await http.GetStringAsync(new Uri("$counters", UriKind.Relative)));
        return counters.RootElement.GetProperty("queues").GetProperty(queue).GetProperty(figure).GetInt64();
    }

    /// <summary>Over four links of one connection; completes when all are accepted.</summary>
    public static async Task FillAsync(this BrokerUnderTest broker, string queue, byte[] message, int count)
    {
        const int links = 4;
        await using var connection = await broker.ConnectAsync();
        var session = await connection.BeginSessionAsync(null, CancellationToken.None);
        var shares = Enumerable
            .Range(0, links)
            .Select(link => count / links + (link < count % links ? 1 : 0))
            .Where(share => share > 0);
        var sending = await Task.WhenAll(
            shares.Select(share => Sending.Start(session, new Target { Address = queue }, message, share))
        );
        await Task.WhenAll(sending.Select(link => link.Accepted));
    }

    public static byte[] MessageOf(int bytes) => new AmqpMessage { Data = [new byte[bytes]] }.ToArray();

    private static HttpClient Client(BrokerUnderTest broker)
    {
        var key = Convert.ToBase64String("RootManageSharedAccessKey:SAS_KEY_VALUE"u8);
        return new HttpClient
        {
            BaseAddress = new Uri($"http://127.0.0.1:{broker.Port}/"),
            DefaultRequestHeaders = { Authorization = new AuthenticationHeaderValue("Basic", key) },
        };
    }
}
