using System.Globalization;
using System.Net;
using DroneDelivery.Contracts;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Ingestion;

public sealed class RescheduleAndCancelTests
{
    private const string Order1 = "/api/deliveryrequests/order-1";

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_reschedule_is_a_message_with_the_changes_and_the_id_of_the_route()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        var changes = new RescheduleRequest { PickupTime = new(2030, 2, 1, 8, 0, 0, TimeSpan.Zero) };

        using var response = await ingestion.Http.PatchAsync(Order1, changes);

        Assert.Equal(HttpStatusCode.Accepted, response.StatusCode);
        var message = await ingestion.Queue.TakeAsync();
        Assert.Equal(("reschedule", "order-1"), (message.ApplicationProperties["operation"], message.CorrelationId));
        Assert.Equal(changes with { DeliveryId = "order-1" }, message.Body.ToObjectFromJson<RescheduleRequest>(ContractJson.Options));
    }

    [Fact]
    public async Task Each_reschedule_is_a_wish_of_its_own_stamped_in_order_although_the_clock_stands_still()
    {
        var time = new ManualTimeProvider(TimeProvider.System.GetUtcNow());
        await using var ingestion = await IngestionUnderTest.StartAsync(time: time);
        var changes = new RescheduleRequest { Deadline = new(2030, 2, 1, 8, 0, 0, TimeSpan.Zero) };
        var stamps = new List<DateTimeOffset>();
        for (var i = 0; i < 3; i++)
        {
            using var response = await ingestion.Http.PatchAsync(Order1, changes);
            var stamp = (string)(await ingestion.Queue.TakeAsync()).ApplicationProperties["acceptedAt"];
            stamps.Add(DateTimeOffset.ParseExact(stamp, "O", CultureInfo.InvariantCulture));
        }

        Assert.Equal(stamps.Distinct().Order(), stamps);
        Assert.Equal(time.GetUtcNow(), stamps[0]);
    }

    [Theory]
    [InlineData("order-1", true)]
    [InlineData("order-2", false)]
    public async Task A_reschedule_whose_body_names_another_delivery_than_its_route_is_refused(string named, bool isTaken)
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        var changes = new RescheduleRequest { DeliveryId = named, PickupTime = new(2030, 2, 1, 8, 0, 0, TimeSpan.Zero) };

        using var response = await ingestion.Http.PatchAsync(Order1, changes);

        if (isTaken)
            Assert.Equal(HttpStatusCode.Accepted, response.StatusCode);
        else
            Assert.Equal(["deliveryId"], await response.ReadInvalidFieldsAsync());
        Assert.Equal(isTaken ? 1 : 0, ingestion.Queue.Counts.Incoming);
    }

    [Fact]
    public async Task A_reschedule_that_changes_nothing_is_refused()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();

        using var response = await ingestion.Http.PatchAsync(Order1, new RescheduleRequest());

        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.Contains("pickupTime", await response.Content.ReadAsStringAsync(Cancelled), StringComparison.Ordinal);
        Assert.Equal(0, ingestion.Queue.Counts.Incoming);
    }

    [Fact]
    public async Task A_reschedule_with_a_deadline_before_its_pickup_is_refused()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        var pickup = new DateTimeOffset(2030, 2, 1, 8, 0, 0, TimeSpan.Zero);

        using var response = await ingestion.Http.PatchAsync(
            Order1, new RescheduleRequest { PickupTime = pickup, Deadline = pickup.AddSeconds(-1) });
        using var inTime = await ingestion.Http.PatchAsync(
            Order1, new RescheduleRequest { PickupTime = pickup, Deadline = pickup });

        Assert.Equal(["deadline"], await response.ReadInvalidFieldsAsync());
        Assert.Equal(HttpStatusCode.Accepted, inTime.StatusCode);
    }

    [Fact]
    public async Task A_cancel_is_a_message_that_duplicate_detection_tells_from_its_delivery()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        using var scheduled = await ingestion.Http.PostAsync("/api/deliveryrequests", SampleRequests.Delivery("order-1"));

        using var response = await ingestion.Http.SendAsync(HttpMethod.Delete, Order1);

        Assert.Equal(HttpStatusCode.Accepted, response.StatusCode);
        Assert.Equal(2, ingestion.Queue.Counts.Active);
        await ingestion.Queue.TakeAsync();
        var message = await ingestion.Queue.TakeAsync();
        Assert.Equal(("cancel", "order-1"), (message.ApplicationProperties["operation"], message.CorrelationId));
        Assert.Equal("order-1", message.Body.ToObjectFromJson<CancelRequest>(ContractJson.Options)!.DeliveryId);
    }

    [Theory]
    [InlineData("PATCH")]
    [InlineData("DELETE")]
    [InlineData("GET")]
    public async Task An_id_that_is_none_is_refused(string method)
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        var body = method == "PATCH" ? """{ "deadline": "2030-02-01T08:00:00Z" }""" : null;

        using var response = await ingestion.Http.SendAsync(new(method), "/api/deliveryrequests/no%20id", body);

        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.Contains("letters, digits", await response.Content.ReadAsStringAsync(Cancelled), StringComparison.Ordinal);
    }
}
