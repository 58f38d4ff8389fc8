using System.Net;
using System.Net.Sockets;
using DroneDelivery.Contracts;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Ingestion;

/// <summary>Returns 202 only with the broker's acknowledgment.</summary>
public sealed class BrokerAwayTests
{
    [Fact]
    public async Task Broker_outage_returns_503_with_RetryAfter_until_it_recovers()
    {
        var time = new ManualTimeProvider();
        await using var ingestion = await IngestionUnderTest.StartAsync(time: time);
        using (var accepted = await PostAsync(ingestion.Http, "order-1"))
            Assert.Equal(HttpStatusCode.Accepted, accepted.StatusCode);
        var port = ingestion.Queue.Broker.Broker.Address.Port;
        await ingestion.Queue.Broker.DisposeAsync();

        time.Advance(TimeSpan.FromMinutes(2)); // The circuit opens when nothing was acknowledged for a while.
        var tried = 0;
        for (var i = 0; i < 100; i++)
        {
            using var away = await PostAsync(ingestion.Http, "order-2");
            var problem = await UnavailableAsync(away, "order-2");
            tried += problem.Contains("was not sent", StringComparison.Ordinal) ? 0 : 1;
        }

        Assert.Equal(2, tried); // The other requests see an open circuit.
        Assert.Single(ingestion.Logs.With("Service Bus: "));

        await using var again = await BrokerFixture.StartAsync(new() { Port = port }, Cancelled);
        var queue = again.CreateQueue(name: ingestion.Queue.Settings["ServiceBus:QueueName"]);
        await Eventually.TrueAsync(async () =>
        {
            time.Advance(TimeSpan.FromSeconds(1));
            using var response = await PostAsync(ingestion.Http, "order-2");
            return response.StatusCode == HttpStatusCode.Accepted;
        });
        Assert.True(queue.Counts().Active >= 1);
        ingestion.Logs.AssertContains("Service Bus recovered.");
    }

    /// <summary>Only a request with an id is idempotent: each reschedule is a new request.</summary>
    [Fact]
    public async Task Error_without_an_acknowledgment_explains_how_to_retry()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync(
            new() { ["ServiceBus:SendTimeout"] = "00:00:00.200" }
        );
        await ingestion.Queue.Broker.DisposeAsync();
        var withoutId = SampleRequests.Delivery("x") with { DeliveryId = null };

        using var posted = await ingestion.Http.PostAsync("/api/deliveryrequests", withoutId);
        using var patched = await ingestion.Http.PatchAsync(
            "/api/deliveryrequests/order-1",
            new RescheduleRequest { Deadline = SampleRequests.Delivery("x").Deadline }
        );
        using var deleted = await ingestion.Http.SendAsync(HttpMethod.Delete, "/api/deliveryrequests/order-1");

        var (post, patch, delete) = (
            await posted.ReadProblemAsync(HttpStatusCode.ServiceUnavailable),
            await patched.ReadProblemAsync(HttpStatusCode.ServiceUnavailable),
            await deleted.ReadProblemAsync(HttpStatusCode.ServiceUnavailable)
        );
        var id = post.GetProperty("deliveryId").GetString()!;
        Assert.True(new IdAttribute().IsValid(id));
        Assert.Contains(
            $"Retry with deliveryId '{id}'. Retries are idempotent.",
            post.GetProperty("detail").GetString(),
            StringComparison.Ordinal
        );
        Assert.Equal("order-1", patch.GetProperty("deliveryId").GetString());
        Assert.DoesNotContain("idempotent", patch.GetProperty("detail").GetString(), StringComparison.Ordinal);
        Assert.DoesNotContain("with deliveryId", delete.GetProperty("detail").GetString(), StringComparison.Ordinal);
    }

    /// <summary>The SDK would try four times, each time on a new connection.</summary>
    [Fact]
    public async Task Silent_broker_returns_503_after_one_attempt()
    {
        using var mute = new TcpListener(IPAddress.Loopback, 0);
        mute.Start();
        await using var ingestion = await IngestionUnderTest.StartAsync(
            new()
            {
                ["ServiceBus:ConnectionString"] = QueueUnderTest.ConnectionTo(mute),
                ["ServiceBus:SendTimeout"] = "00:00:01",
            }
        );

        var began = TimeProvider.System.GetTimestamp();
        using var response = await PostAsync(ingestion.Http, "order-1");
        var waited = TimeProvider.System.GetElapsedTime(began);

        await UnavailableAsync(response, "order-1");
        Assert.True(waited >= TimeSpan.FromSeconds(0.9), $"{waited}");
        using var only = await mute.AcceptTcpClientAsync(Cancelled);
        Assert.False(mute.Pending());
    }

    [Fact]
    public async Task Ingestion_is_not_ready_until_the_queue_can_be_opened()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        await using var lost = await IngestionUnderTest.StartAsync(
            new() { ["ServiceBus:QueueName"] = "no-such-queue" }
        );

        await ingestion.Http.ReadyAsync();
        Assert.Equal(HttpStatusCode.ServiceUnavailable, await lost.Http.StatusAsync("/health/ready"));
        Assert.Equal(0, ingestion.Queue.Counts.Incoming);

        (await PostAsync(lost.Http, "order-1")).Dispose();
        lost.Logs.AssertContains("Service Bus: The send failed: MessagingEntityNotFound.");
    }

    [Fact]
    public async Task Readiness_is_degraded_while_the_broker_is_unavailable()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        await ingestion.Http.ReadyAsync();
        (await PostAsync(ingestion.Http, "order-1")).Dispose(); // The link is open.

        await ingestion.Queue.Broker.DisposeAsync();

        await Eventually.TrueAsync(async () =>
            await ingestion.Http.CheckAsync("queue") == ("Degraded", "The queue cannot be opened.")
        );
    }

    private static async Task<string> UnavailableAsync(HttpResponseMessage response, string deliveryId)
    {
        var problem = (await response.ReadProblemAsync(HttpStatusCode.ServiceUnavailable)).ToString();
        Assert.True(response.Headers.RetryAfter?.Delta > TimeSpan.Zero);
        Assert.Contains(deliveryId, problem, StringComparison.Ordinal);
        return problem;
    }

    private static Task<HttpResponseMessage> PostAsync(HttpClient http, string deliveryId) =>
        http.PostAsync("/api/deliveryrequests", SampleRequests.Delivery(deliveryId));
}
