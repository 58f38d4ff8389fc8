namespace DroneDelivery.LocalServiceBus.Tests.Hosting;

public sealed class StartTests
{
    [Fact]
    public async Task StartAsync_creates_only_the_given_queues()
    {
        await using var bus = await LocalServiceBus.StartAsync("orders", "invoices");

        Assert.Equal(["invoices", "orders"], bus.Entities.Queues.Select(queue => queue.Name));
        Assert.NotEqual(0, bus.Address.Port);
        Assert.Equal(
            $"Endpoint=sb://127.0.0.1:{bus.Address.Port};SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;"
                + "UseDevelopmentEmulator=true",
            bus.ConnectionString
        );
    }

    [Fact]
    public async Task Fixed_ports_listen_on_both_loopback_addresses()
    {
        using var port = new ReservedPort();
        using var management = new ReservedPort();
        var options = new LocalServiceBusOptions { Port = port.Number, ManagementPort = management.Number };
        await using var broker = await BrokerFixture.StartAsync(options, Cancel);

        Assert.Equal($"localhost:{port.Number}", broker.Broker.Address.Authority);
        using var http = new HttpClient();
        foreach (
            var address in (string[])
                [$"127.0.0.1:{port.Number}", $"[::1]:{port.Number}", $"localhost:{management.Number}"]
        )
        {
            Assert.Equal("Healthy", await http.GetStringAsync(new Uri($"http://{address}/health/live"), Cancel));
        }

        await AssertInUseAsync(
            new LocalServiceBusOptions { Port = port.Number },
            port.Number,
            "--port",
            "ServiceBus:Port"
        );
        options = new LocalServiceBusOptions { Port = 0, ManagementPort = management.Number };
        await AssertInUseAsync(options, management.Number, "--management-port");
    }

    [Fact]
    public async Task Broker_listens_only_on_the_configured_address()
    {
        using var port = new ReservedPort(); // On 127.0.0.1, so that no other test gets it.
        var options = new LocalServiceBusOptions { Port = port.Number, Listen = "127.0.0.2" };
        await using var broker = await BrokerFixture.StartAsync(options, Cancel);

        Assert.Equal("127.0.0.2", broker.Broker.Address.Host);
        using var http = new HttpClient();
        Assert.Equal("Healthy", await http.GetStringAsync(new Uri(broker.Broker.Address, "/health/live"), Cancel));
        var elsewhere = new Uri($"http://127.0.0.1:{port.Number}/health/live");
        await Assert.ThrowsAsync<HttpRequestException>(() => http.GetStringAsync(elsewhere, Cancel));

        var error = await Assert.ThrowsAsync<BrokerStartException>(() =>
            BrokerFixture.StartAsync(new LocalServiceBusOptions { Port = 0, Listen = "192.0.2.1" }, Cancel)
        );
        Assert.Contains("ServiceBus:Listen", error.Message, StringComparison.Ordinal);
    }

    private static async Task AssertInUseAsync(LocalServiceBusOptions options, int port, params string[] named)
    {
        var error = await Assert.ThrowsAsync<BrokerStartException>(() => BrokerFixture.StartAsync(options, Cancel));
        Assert.StartsWith($"Port {port} is in use", error.Message, StringComparison.Ordinal);
        Assert.All(named, option => Assert.Contains(option, error.Message, StringComparison.Ordinal));
        Assert.DoesNotContain('\n', error.Message);
    }
}
