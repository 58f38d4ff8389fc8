using System.Net;
using System.Net.Sockets;
using Azure.Messaging.ServiceBus.Administration;

namespace Azure.Messaging.ServiceBus.Tests.Resilience;

public sealed class UnreachableBrokerTests
{
    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Nobody_at_the_port_is_a_communication_problem()
    {
        using var nobody = PortWithoutListener(out var port);
        await using var client = Client(port);
        await using var sender = client.CreateSender("orders");
        await using var receiver = client.CreateReceiver("orders");

        var sent = await Assert.ThrowsAsync<ServiceBusException>(() => sender.SendMessageAsync(new ServiceBusMessage("x"), Cancelled));
        var received = await Assert.ThrowsAsync<ServiceBusException>(
            () => receiver.ReceiveMessageAsync(TimeSpan.FromSeconds(1), Cancelled));

        Assert.All(
            [sent, received],
            error => Assert.Equal(
                (ServiceBusFailureReason.ServiceCommunicationProblem, true), (error.Reason, error.IsTransient)));
    }

    [Fact]
    public async Task A_broker_that_does_not_answer_is_a_time_out()
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        await using var client = Client(((IPEndPoint)silent.LocalEndpoint).Port, patience: TimeSpan.FromMilliseconds(500));
        await using var sender = client.CreateSender("orders");

        var error = await Assert.ThrowsAsync<ServiceBusException>(() => sender.SendMessageAsync(new ServiceBusMessage("x"), Cancelled));

        Assert.Equal((ServiceBusFailureReason.ServiceTimeout, true), (error.Reason, error.IsTransient));
    }

    [Fact]
    public async Task Something_else_at_the_port_is_a_communication_problem()
    {
        using var other = new TcpListener(IPAddress.Loopback, 0);
        other.Start();
        var answering = AnswerAsync(other, "HTTP/1.1 400 Bad Request\r\n\r\n"u8.ToArray());
        await using var client = Client(((IPEndPoint)other.LocalEndpoint).Port, retries: 0);
        await using var sender = client.CreateSender("orders");

        var error = await Assert.ThrowsAsync<ServiceBusException>(() => sender.SendMessageAsync(new ServiceBusMessage("x"), Cancelled));
        other.Stop();
        await Assert.ThrowsAnyAsync<Exception>(() => answering);

        Assert.Equal(ServiceBusFailureReason.ServiceCommunicationProblem, error.Reason);
    }

    [Fact]
    public async Task Cancelling_ends_the_tries()
    {
        using var nobody = PortWithoutListener(out var port);
        await using var client = Client(port, retries: 100);
        await using var sender = client.CreateSender("orders");
        using var cancellation = new CancellationTokenSource(TimeSpan.FromMilliseconds(100));

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => sender.SendMessageAsync(new ServiceBusMessage("x"), cancellation.Token));
    }

    [Fact]
    public async Task The_administration_client_says_that_nobody_answers()
    {
        var options = new ServiceBusAdministrationClientOptions { Retry = { Delay = TimeSpan.FromMilliseconds(10) } };
        using var nobody = PortWithoutListener(out var port);
        var client = new ServiceBusAdministrationClient(ConnectionStringFor(port), options);

        // One for each try.
        var error = await Assert.ThrowsAsync<AggregateException>(() => client.QueueExistsAsync("orders", Cancelled));

        Assert.All(error.InnerExceptions, one => Assert.Equal(0, Assert.IsType<RequestFailedException>(one).Status));
    }

    [Fact]
    public async Task A_custom_endpoint_is_where_the_client_connects()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var options = new ServiceBusClientOptions
        {
            CustomEndpointAddress = new Uri($"sb://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}"),
            RetryOptions = { MaxRetries = 0, TryTimeout = TimeSpan.FromSeconds(60) },
        };
        using var nobody = PortWithoutListener(out var port);
        await using var client = new ServiceBusClient(ConnectionStringFor(port), options);
        var sending = client.CreateSender("orders").SendMessageAsync(new ServiceBusMessage("x"), Cancelled);

        using (await listener.AcceptTcpClientAsync(Cancelled))
        {
        }

        await Assert.ThrowsAsync<ServiceBusException>(() => sending);
    }

    [Fact]
    public async Task Behind_a_custom_endpoint_the_broker_is_asked_for_by_its_own_name()
    {
        await using var proxy = new ScriptedServer(TimeProvider.System);
        var options = new ServiceBusClientOptions { CustomEndpointAddress = proxy.Address };
        const string connectionString = "Endpoint=sb://bus.example;SharedAccessKeyName=a;SharedAccessKey=b;UseDevelopmentEmulator=true";
        await using var client = new ServiceBusClient(connectionString, options);

        await client.CreateSender("orders").CreateMessageBatchAsync(Cancelled);

        Assert.Equal("bus.example", Assert.Single(proxy.HostNames));
        Assert.Equal("sb://bus.example/orders", Assert.Single(proxy.Tokens)["name"]);
    }

    // Patient, so that a machine that stands still for a while makes no time out of another failure.
    private static ServiceBusClient Client(int port, int retries = 1, TimeSpan? patience = null) =>
        new(ConnectionStringFor(port), new ServiceBusClientOptions
        {
            RetryOptions =
            {
                MaxRetries = retries,
                Delay = TimeSpan.FromMilliseconds(10),
                TryTimeout = patience ?? TimeSpan.FromSeconds(60),
            },
        });

    private static string ConnectionStringFor(int port) =>
        $"Endpoint=sb://127.0.0.1:{port};SharedAccessKeyName=RootManageSharedAccessKey;"
        + "SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true";

    // Bound as long as the test runs, so that no other test is given the port, but never listened on.
    private static Socket PortWithoutListener(out int port)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        port = ((IPEndPoint)socket.LocalEndPoint!).Port;
        return socket;
    }

    private static async Task AnswerAsync(TcpListener listener, byte[] answer)
    {
        while (true)
        {
            using var connection = await listener.AcceptTcpClientAsync(Cancelled);
            await connection.GetStream().WriteAsync(answer, Cancelled);
        }
    }
}
