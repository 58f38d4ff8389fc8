using System.IO.Pipelines;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class SocketTests
{
    [Fact]
    public async Task A_message_travels_over_TCP()
    {
        using var listener = Listen(out var port);
        var server = new TestServer();
        var serving = ServeOneAsync(listener, server);
        await using (var client = await AmqpConnection.ConnectAsync("localhost", port, false, new AmqpConnectionOptions(), Limit.Token))
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
            AmqpConnection.ConnectAsync("127.0.0.1", port, false, new AmqpConnectionOptions(), Limit.Token));
    }

    [Fact]
    public async Task A_server_that_says_nothing_is_given_up_after_the_handshake_timeout()
    {
        using var listener = Listen(out var port);
        var options = new AmqpConnectionOptions { HandshakeTimeout = TimeSpan.FromMilliseconds(100) };
        var timeout = await Assert.ThrowsAsync<TimeoutException>(() =>
            AmqpConnection.ConnectAsync("127.0.0.1", port, false, options, Limit.Token));
        Assert.Contains($"127.0.0.1:{port}", timeout.Message);
    }

    [Fact]
    public async Task A_server_that_speaks_something_else_is_hung_up_on()
    {
        using var listener = Listen(out var port);
        var connecting = AmqpConnection.ConnectAsync("127.0.0.1", port, false, new AmqpConnectionOptions(), Limit.Token);
        using var server = await listener.AcceptTcpClientAsync(Limit.Token);
        await using var stream = server.GetStream();
        await stream.WriteAsync("HTTP/1.1 400 Bad Request\r\n\r\n"u8.ToArray(), Limit.Token);

        await Assert.ThrowsAsync<AmqpException>(() => connecting);

        await stream.ReadExactlyAsync(new byte[ProtocolHeader.Size], Limit.Token);
        await AssertGoneAsync(stream);
    }

    [Fact]
    public async Task TLS_checks_the_certificate()
    {
        using var listener = Listen(out var port);
        using var key = RSA.Create(2048);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        using var certificate = request.CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(200));
        var serving = EncryptOneAsync(listener, certificate);

        await Assert.ThrowsAsync<AuthenticationException>(() =>
            AmqpConnection.ConnectAsync("localhost", port, useTls: true, new AmqpConnectionOptions(), Limit.Token));

        await Assert.ThrowsAnyAsync<Exception>(() => serving);
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

    private static async Task EncryptOneAsync(TcpListener listener, X509Certificate2 certificate)
    {
        using var client = await listener.AcceptTcpClientAsync(Limit.Token);
        await using var stream = new SslStream(client.GetStream());
        await stream.AuthenticateAsServerAsync(certificate);
        // The client refuses after its side of the handshake: the next read sees it go.
        await stream.ReadExactlyAsync(new byte[1], Limit.Token);
    }
}
