using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;

namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class SocketTests
{
    [Fact]
    public async Task A_message_travels_over_TCP()
    {
        using var listener = Listen(out var port);
        var server = new TestServer();
        var serving = ServeOneAsync(listener, server);
        await using (var client = await AmqpDialer.ConnectAsync("localhost", port, null, new AmqpConnectionOptions(), Limit.Token))
        {
            var session = await client.BeginSessionAsync(null, Limit.Token);
            var link = await session.AttachSenderAsync(new Attach { Name = "s", Target = new Target() }, new TestSender(), Limit.Token);
            var payload = new byte[200_000];
            payload[^1] = 9;
            Assert.Same(Accepted.Instance, await link.SendAsync(payload, 0, settled: false, Limit.Token));
            Assert.Equal(payload, (await server.ReceiverHandler.Deliveries.NextAsync()).Payload);
        }
        await serving;
    }

    [Fact]
    public async Task A_port_where_nobody_listens_is_a_socket_error()
    {
        // Bound, so that nobody else is given the port meanwhile, but never listened on.
        using var bound = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        bound.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        var port = ((IPEndPoint)bound.LocalEndPoint!).Port;
        await Assert.ThrowsAsync<SocketException>(() =>
            AmqpDialer.ConnectAsync("127.0.0.1", port, SaslClient.Anonymous, new AmqpConnectionOptions(), Limit.Token));
    }

    [Fact]
    public async Task A_server_that_says_nothing_is_given_up_after_the_handshake_timeout()
    {
        using var listener = Listen(out var port);
        var options = new AmqpConnectionOptions { HandshakeTimeout = TimeSpan.FromMilliseconds(100) };
        var timeout = await Assert.ThrowsAsync<TimeoutException>(() =>
            AmqpDialer.ConnectAsync("127.0.0.1", port, SaslClient.Anonymous, options, Limit.Token));
        Assert.Contains($"127.0.0.1:{port}", timeout.Message);
    }

    [Fact]
    public async Task A_server_that_speaks_something_else_is_hung_up_on()
    {
        using var listener = Listen(out var port);
        var connecting = AmqpDialer.ConnectAsync("127.0.0.1", port, SaslClient.Anonymous, new AmqpConnectionOptions(), Limit.Token);
        using var server = await listener.AcceptTcpClientAsync(Limit.Token);
        await using var stream = server.GetStream();
        await stream.WriteAsync("HTTP/1.1 400 Bad Request\r\n\r\n"u8.ToArray(), Limit.Token);

        await Assert.ThrowsAsync<AmqpException>(() => connecting);

        await stream.ReadExactlyAsync(new byte[ProtocolHeader.Size], Limit.Token);
        await AssertGoneAsync(stream);
    }

    private static TcpListener Listen(out int port)
    {
        var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        port = ((IPEndPoint)listener.LocalEndpoint).Port;
        return listener;
    }

    // What the client left unread makes its end a reset.
    private static async Task AssertGoneAsync(NetworkStream stream)
    {
        try
        {
            Assert.Equal(0, await stream.ReadAsync(new byte[1], Limit.Token));
        }
        catch (IOException reset)
        {
            Assert.IsType<SocketException>(reset.InnerException);
        }
    }

    private static async Task ServeOneAsync(TcpListener listener, TestServer server)
    {
        using var client = await listener.AcceptTcpClientAsync(Limit.Token);
        var stream = client.GetStream();
        var pipe = new DuplexPipe(PipeReader.Create(stream), PipeWriter.Create(stream));
        await AmqpConnection.ServeAsync(pipe, new AmqpConnectionOptions(), server.Listen, Limit.Token);
    }
}
