namespace DroneDelivery.LocalServiceBus.Tests.Hosting;

public sealed class StartTests
{
    [Fact]
    public async Task One_call_starts_a_broker_with_the_queues_that_were_named_and_no_others()
    {
        await using var bus = await LocalServiceBus.StartAsync("orders", "invoices");

        Assert.Equal(["invoices", "orders"], bus.Entities.Queues.Select(queue => queue.Name));
        Assert.NotEqual(0, bus.Address.Port);
        Assert.Equal(
            $"Endpoint=sb://127.0.0.1:{bus.Address.Port};SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;"
            + "UseDevelopmentEmulator=true",
            bus.ConnectionString);
    }

    [Fact]
    public async Task A_port_in_use_is_told_with_the_option_to_change()
    {
        await using var first = await BrokerFixture.StartAsync(cancellationToken: Cancel);
        var port = first.Broker.Address.Port;

        var error = await Assert.ThrowsAsync<BrokerStartException>(
            () => BrokerFixture.StartAsync(new LocalServiceBusOptions { Port = port }, Cancel));

        Assert.StartsWith($"Port {port} is in use", error.Message, StringComparison.Ordinal);
        Assert.Contains("--port", error.Message, StringComparison.Ordinal);
        Assert.Contains("ServiceBus:Port", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', error.Message);
    }

    [Fact]
    public async Task A_management_port_is_open_beside_the_other()
    {
        using var port = new ReservedPort();
        var options = new LocalServiceBusOptions { Port = 0, ManagementPort = port.Number };
        await using var broker = await BrokerFixture.StartAsync(options, Cancel);
        using var http = new HttpClient();

        foreach (var address in (Uri[])[broker.Broker.Address, new($"http://localhost:{port.Number}")])
            Assert.Equal("Healthy", await http.GetStringAsync(new Uri(address, "/health/live"), Cancel));
        var error = await Assert.ThrowsAsync<BrokerStartException>(() => BrokerFixture.StartAsync(options, Cancel));
        Assert.Contains($"Port {port.Number} is in use", error.Message, StringComparison.Ordinal);
        Assert.Contains("--management-port", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_fixed_port_is_open_on_both_loopback_addresses()
    {
        using var port = new ReservedPort();
        await using var broker = await BrokerFixture.StartAsync(new LocalServiceBusOptions { Port = port.Number }, Cancel);

        Assert.Equal($"localhost:{port.Number}", broker.Broker.Address.Authority);
        using var http = new HttpClient();
        foreach (var host in (string[])["127.0.0.1", "[::1]"])
            Assert.Equal("Healthy", await http.GetStringAsync(new Uri($"http://{host}:{port.Number}/health/live"), Cancel));
    }

    [Fact]
    public async Task An_address_of_choice_is_listened_on_and_no_other()
    {
        using var port = new ReservedPort(); // of 127.0.0.1, so that no other test is given it
        var options = new LocalServiceBusOptions { Port = port.Number, Listen = "127.0.0.2" };
        await using var broker = await BrokerFixture.StartAsync(options, Cancel);

        Assert.Equal("127.0.0.2", broker.Broker.Address.Host);
        using var http = new HttpClient();
        Assert.Equal("Healthy", await http.GetStringAsync(new Uri(broker.Broker.Address, "/health/live"), Cancel));
        var elsewhere = new Uri($"http://127.0.0.1:{port.Number}/health/live");
        await Assert.ThrowsAsync<HttpRequestException>(() => http.GetStringAsync(elsewhere, Cancel));
    }

    [Fact]
    public async Task An_address_of_another_machine_is_refused_by_the_option()
    {
        var error = await Assert.ThrowsAsync<BrokerStartException>(
            () => BrokerFixture.StartAsync(new LocalServiceBusOptions { Port = 0, Listen = "192.0.2.1" }, Cancel));

        Assert.Contains("ServiceBus:Listen", error.Message, StringComparison.Ordinal);
    }
}
