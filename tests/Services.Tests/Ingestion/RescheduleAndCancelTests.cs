using System.Globalization;
using System.Net;
using DroneDelivery.Contracts;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Ingestion;

public sealed class RescheduleAndCancelTests
{
    private const string Order1 = "/api/deliveryrequests/order-1";

    [Fact]
    public async Task Reschedules_are_separate_messages_with_increasing_timestamps()
    {
        var time = new ManualTimeProvider(TimeProvider.System.GetUtcNow());
        await using var ingestion = await IngestionUnderTest.StartAsync(time: time);
        var changes = new RescheduleRequest { Deadline = new(2030, 2, 1, 8, 0, 0, TimeSpan.Zero) };
        var stamps = new List<DateTimeOffset>();
        for (var i = 0; i < 3; i++)
        {
            using var response = await ingestion.Http.PatchAsync(Order1, changes);
            Assert.Equal(HttpStatusCode.Accepted, response.StatusCode);
            var message = await ingestion.Queue.TakeAsync();
            Assert.Equal(
                ("reschedule", "order-1"),
                (message.ApplicationProperties["operation"], message.CorrelationId)
            );
            Assert.Equal(
                changes with
                {
                    DeliveryId = "order-1",
                },
                message.Body.ToObjectFromJson<RescheduleRequest>(ContractJson.Options)
            );
            var stamp = (string)message.ApplicationProperties["acceptedAt"];
            stamps.Add(DateTimeOffset.ParseExact(stamp, "O", CultureInfo.InvariantCulture));
        }

        Assert.Equal(stamps.Distinct().Order(), stamps);
        Assert.Equal(time.GetUtcNow(), stamps[0]);
    }

    [Theory]
    [InlineData("""{"deliveryId":"order-1","pickupTime":"2030-02-01T08:00:00Z"}""", null)]
    // Differs from the id in the route.
    [InlineData("""{"deliveryId":"order-2","pickupTime":"2030-02-01T08:00:00Z"}""", "deliveryId")]
    [InlineData("""{"pickupTime":"2030-02-01T08:00:00Z","deadline":"2030-02-01T08:00:00Z"}""", null)]
    [InlineData("""{"pickupTime":"2030-02-01T08:00:00Z","deadline":"2030-02-01T07:59:59Z"}""", "deadline")]
    [InlineData("{}", "$")] // Changes nothing.
    [InlineData("""{"pickupTime":"2030-02-01T08:00:00Z","deadline":null}""", "deadline")]
    [InlineData("""{"pickupTime":"2030-02-01T08:00:00Z","dropOffLocation":null}""", "dropOffLocation")]
    [InlineData("""{"deadline":"2000-02-01T08:00:00Z"}""", "deadline")]
    public async Task Invalid_reschedule_is_rejected(string body, string? mistake)
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();

        using var response = await ingestion.Http.SendAsync(HttpMethod.Patch, Order1, body);

        if (mistake is null)
            Assert.Equal(HttpStatusCode.Accepted, response.StatusCode);
        else
            Assert.Equal([mistake], await response.ReadInvalidFieldsAsync());
        Assert.Equal(mistake is null ? 1 : 0, ingestion.Queue.Counts.Incoming);
    }

    [Fact]
    public async Task Cancel_is_not_a_duplicate_of_its_delivery()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        using var scheduled = await ingestion.Http.PostAsync(
            "/api/deliveryrequests",
            SampleRequests.Delivery("order-1")
        );

        using var response = await ingestion.Http.SendAsync(HttpMethod.Delete, Order1);

        Assert.Equal(HttpStatusCode.Accepted, response.StatusCode);
        Assert.Equal(2, ingestion.Queue.Counts.Active);
        await ingestion.Queue.TakeAsync();
        var message = await ingestion.Queue.TakeAsync();
        Assert.Equal(("cancel", "order-1"), (message.ApplicationProperties["operation"], message.CorrelationId));
        Assert.Equal("order-1", message.Body.ToObjectFromJson<CancelRequest>(ContractJson.Options)!.DeliveryId);
    }

    [Fact]
    public async Task Invalid_delivery_id_is_rejected()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        foreach (
            var (method, body) in new[]
            {
                (HttpMethod.Patch, """{ "deadline": "2030-02-01T08:00:00Z" }"""),
                (HttpMethod.Delete, null),
                (HttpMethod.Get, null),
            }
        )
        {
            using var response = await ingestion.Http.SendAsync(method, "/api/deliveryrequests/no%20id", body);
            Assert.Equal(["id"], await response.ReadInvalidFieldsAsync());
        }
    }
}
