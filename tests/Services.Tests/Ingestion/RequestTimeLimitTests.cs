using System.Net;
using System.Net.Sockets;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Ingestion;

public sealed class RequestTimeLimitTests
{
    private const string Status = "/api/deliveryrequests/order-1";

    [Fact]
    public async Task Status_query_returns_504_when_Delivery_does_not_respond()
    {
        await using var ingestion = await StartAsync();
        var never = ingestion.Backends.Hold();

        using var response = await ingestion.Http.SendAsync(HttpMethod.Get, Status);

        Assert.Equal(
            "urn:drone-delivery:request-timeout",
            await response.ReadProblemTypeAsync(HttpStatusCode.GatewayTimeout)
        );
        Assert.NotNull(response.Headers.RetryAfter?.Delta);
        never.SetResult();
    }

    /// <summary>A client repeats a request that had no effect, so that claim must be true.</summary>
    [Fact]
    public async Task Timeout_includes_the_wait_but_does_not_interrupt_a_send()
    {
        using var mute = new TcpListener(IPAddress.Loopback, 0);
        mute.Start();
        await using var ingestion = await StartAsync(
            new()
            {
                ["Ingestion:MaxConcurrentRequests"] = "1",
                ["ServiceBus:ConnectionString"] = QueueUnderTest.ConnectionTo(mute),
                ["ServiceBus:SendTimeout"] = "00:05:00",
            }
        );
        // Only the send connects, so the request has started by now.
        var (sending, client) = await SendAsync(ingestion, mute);

        for (var passed = 0; passed < 2; passed++) // Longer than the time limit, twice.
        {
            using var waiting = await ingestion.Http.SendAsync(HttpMethod.Get, Status);
            await waiting.ReadProblemAsync(HttpStatusCode.GatewayTimeout);
        }

        Assert.Empty(ingestion.Backends.Calls);
        Assert.False(sending.IsCompleted);
        await AcceptedAsync(ingestion, sending, client);
    }

    private static Task<IngestionUnderTest> StartAsync(Dictionary<string, string?>? more = null) =>
        IngestionUnderTest.StartAsync(
            new Dictionary<string, string?> { ["Ingestion:RequestTimeout"] = "00:00:02" }.And(more ?? [])
        );

    /// <summary>
    /// Waits until the send waits for a silent broker. On a busy machine, the time limit may pass before the send
    /// starts.
    /// </summary>
    private static async Task<(Task<HttpResponseMessage> Answer, TcpClient Connection)> SendAsync(
        IngestionUnderTest ingestion,
        TcpListener broker
    )
    {
        var connection = broker.AcceptTcpClientAsync(Cancelled).AsTask();
        while (true)
        {
            var answer = ingestion.Http.PostAsync("/api/deliveryrequests", SampleRequests.Delivery("order-1"));
            if (await Task.WhenAny(connection, answer) == connection)
                return (answer, await connection);
            using var late = await answer;
            Assert.Equal(HttpStatusCode.GatewayTimeout, late.StatusCode);
        }
    }

    private static async Task AcceptedAsync(
        IngestionUnderTest ingestion,
        Task<HttpResponseMessage> answer,
        TcpClient connection
    )
    {
        using var client = connection;
        using var broker = new TcpClient();
        await broker.ConnectAsync(IPAddress.Loopback, ingestion.Queue.Broker.Broker.Address.Port, Cancelled);
        var relay = Task.WhenAll(
            client.GetStream().CopyToAsync(broker.GetStream(), Cancelled),
            broker.GetStream().CopyToAsync(client.GetStream(), Cancelled)
        );

        using var response = await answer;
        Assert.Equal(
            SampleRequests.Delivery("order-1"),
            await response.ReadAsync<DeliveryRequest>(HttpStatusCode.Accepted)
        );
        Assert.False(relay.IsFaulted);
    }
}
