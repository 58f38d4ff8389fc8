using System.Net.Sockets;
using DroneDelivery.LocalServiceBus.Hosting;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.LocalServiceBus.Tests.Hosting;

public sealed class OnePortTests : IDisposable
{
    private readonly List<TcpClient> _clients = [];

    public void Dispose() => _clients.ForEach(client => client.Dispose());

    [Theory]
    [InlineData(new byte[] { 0, 1, 2, 3, 4, 5, 6, 7 }, LogLevel.Debug)]
    [InlineData(new byte[] { 0x16, 0x03, 0x01, 0x02, 0x00 }, LogLevel.Warning)]
    [InlineData(new byte[] { (byte)'A', (byte)'M' }, null)]
    [InlineData(new byte[0], null)]
    public async Task Unknown_protocol_closes_the_connection_with_one_log_line(byte[] bytes, LogLevel? level)
    {
        var log = new RecordedLog();
        await using var broker = await BrokerFixture.StartAsync(
            new LocalServiceBusOptions { Port = 0, LoggerFactory = log },
            Cancel
        );

        Assert.Empty(await ExchangeAsync(broker, bytes));

        Assert.Equal($"{level}", string.Join(' ', log.Of<FirstBytes>()));
        Assert.DoesNotContain(log.All, entry => entry.Level >= LogLevel.Error);
        await AssertAnswersAsync(broker);
    }

    [Fact]
    public async Task Protocol_is_detected_when_bytes_arrive_one_by_one()
    {
        await using var broker = await BrokerFixture.StartAsync(cancellationToken: Cancel);
        var stream = (await ConnectAsync(broker)).GetStream();
        foreach (var one in "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"u8.ToArray())
            await stream.WriteAsync(new[] { one }, Cancel);

        using var reader = new StreamReader(stream);
        Assert.StartsWith("HTTP/1.1 200", await reader.ReadToEndAsync(Cancel), StringComparison.Ordinal);
    }

    private static async Task AssertAnswersAsync(BrokerFixture broker)
    {
        using var http = new HttpClient();
        Assert.Equal("Healthy", await http.GetStringAsync(new Uri(broker.Broker.Address, "/health/ready"), Cancel));
    }

    /// <summary>
    /// Returns all bytes that the broker sends until it closes, after the client has sent its bytes and shut down its
    /// side.
    /// </summary>
    private async Task<byte[]> ExchangeAsync(BrokerFixture broker, byte[] bytes)
    {
        var client = await ConnectAsync(broker);
        var stream = client.GetStream();
        var received = new MemoryStream();
        try
        {
            await stream.WriteAsync(bytes, Cancel);
            client.Client.Shutdown(SocketShutdown.Send);
            await stream.CopyToAsync(received, Cancel);
        }
        catch (Exception error) when (error is IOException or SocketException)
        {
            // The broker closed with unread bytes, which resets the connection.
        }
        return received.ToArray();
    }

    private async Task<TcpClient> ConnectAsync(BrokerFixture broker)
    {
        var client = new TcpClient();
        _clients.Add(client);
        await client.ConnectAsync(broker.Broker.Address.Host, broker.Broker.Address.Port, Cancel);
        return client;
    }
}
