using System.Globalization;
using System.Net;
using System.Text.Json;
using System.Text.Json.Nodes;
using DroneDelivery.Contracts;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Ingestion;

public sealed class BadInputTests(SharedIngestion shared) : IClassFixture<SharedIngestion>
{
    private const string Ten = "xxxxxxxxxx",
        TooLong = "\"" + Ten + Ten + Ten + Ten + Ten + Ten + Ten + Ten + Ten + Ten + "x\"";

    [Theory]
    [InlineData("ownerId", null)]
    [InlineData("pickupLocation", null)]
    [InlineData("dropOffLocation", null)]
    [InlineData("pickupTime", null)]
    [InlineData("packageInfo", null)]
    [InlineData("packageInfo.packageId", null)]
    [InlineData("packageInfo.size", null)]
    [InlineData("packageInfo.weight", null)]
    [InlineData("deliveryId", "\"no id\"")]
    [InlineData("ownerId", "\"\"")]
    [InlineData("packageInfo.weight", "-1")]
    [InlineData("packageInfo.weight", "1e9")]
    [InlineData("packageInfo.tag", "\"\\u0000\"")]
    [InlineData("pickupLocation.latitude", "90.4")]
    [InlineData("dropOffLocation.longitude", "1e10")]
    [InlineData("pickupLocation.longitude", null)]
    [InlineData("pickupLocation.altitude", "10000.4")]
    [InlineData("pickupTime", "\"0001-01-01T00:00:00Z\"")]
    [InlineData("pickupTime", "\"9999-12-31T23:59:59Z\"")]
    [InlineData("pickupTime", "\"9998-12-31T23:30:00-01:00\"")] // The year counts in UTC.
    [InlineData("pickupTime", "\"2030-01-31T12:00:00\"")] // Each replica would read it in its own time zone.
    [InlineData("pickupTime", "\"2030-01-31\"")]
    [InlineData("deadline", "\"2030-01-31T13:00\"")]
    [InlineData("deadline", "\"1999-12-31T23:59:59Z\"")]
    [InlineData("deadline", "\"2030-01-31T11:59:59Z\"")] // A second before the pickup.
    [InlineData("deadline", "\"2030-01-31T13:59:59+02:00\"")]
    [InlineData("expidited", "true")]
    [InlineData("packageInfo.wieght", "1")]
    [InlineData("deliveryId", TooLong)]
    [InlineData("ownerId", TooLong)]
    [InlineData("packageInfo.packageId", TooLong)]
    [InlineData("packageInfo.tag", TooLong)]
    public async Task Missing_or_invalid_field_is_named(string field, string? value)
    {
        using var response = await PostAsync(RequestWith(field, value));

        Assert.Equal([field], await response.ReadInvalidFieldsAsync());
        Assert.Equal(0, shared.Ingestion.Queue.Counts.Incoming);
    }

    [Theory]
    [InlineData("ownerId", "{\"ownerId\"", "{\"ownerId\":\"owner-2\",\"ownerId\"")]
    [InlineData("ownerId", "{\"ownerId\"", "{\"OWNERID\":\"owner-2\",\"ownerId\"")]
    [InlineData("packageInfo.tag", "\"tag\"", "\"tag\":\"pens\",\"tag\"")]
    public async Task Duplicate_property_is_named(string field, string once, string twice)
    {
        var body = RequestWith("deliveryId", null).Replace(once, twice, StringComparison.Ordinal);

        using var response = await PostAsync(body);

        Assert.Equal([field], await response.ReadInvalidFieldsAsync());
        Assert.Equal(0, shared.Ingestion.Queue.Counts.Incoming);
    }

    [Theory]
    [InlineData("2040-01-31T12:00:00Z", HttpStatusCode.Accepted)]
    [InlineData("2040-01-31T12:00:01Z", HttpStatusCode.BadRequest)]
    public async Task Pickup_time_must_be_within_ten_years(string pickupTime, HttpStatusCode expected)
    {
        await using var ingestion = await IngestionUnderTest.StartAsync(
            time: new ManualTimeProvider(new(2030, 1, 31, 12, 0, 0, TimeSpan.Zero))
        );
        var time = DateTimeOffset.Parse(pickupTime, CultureInfo.InvariantCulture);

        using var posted = await ingestion.Http.PostAsync(
            "/api/deliveryrequests",
            SampleRequests.Delivery("order-1") with
            {
                PickupTime = time,
                Deadline = null,
            }
        );
        using var patched = await ingestion.Http.PatchAsync(
            "/api/deliveryrequests/order-1",
            new RescheduleRequest { PickupTime = time }
        );

        Assert.Equal((expected, expected), (posted.StatusCode, patched.StatusCode));
        if (expected == HttpStatusCode.BadRequest)
            Assert.Equal(["pickupTime"], await posted.ReadInvalidFieldsAsync());
    }

    [Theory]
    [InlineData("2030-01-30T12:00:00Z", HttpStatusCode.Accepted)] // A retry after the deadline is accepted, too.
    [InlineData("2030-01-30T11:59:59Z", HttpStatusCode.BadRequest)]
    public async Task Deadline_is_at_most_a_day_in_the_past(string deadline, HttpStatusCode expected)
    {
        await using var ingestion = await IngestionUnderTest.StartAsync(
            time: new ManualTimeProvider(new(2030, 1, 31, 12, 0, 0, TimeSpan.Zero))
        );
        var time = DateTimeOffset.Parse(deadline, CultureInfo.InvariantCulture);

        using var posted = await ingestion.Http.PostAsync(
            "/api/deliveryrequests",
            SampleRequests.Delivery("order-1") with
            {
                PickupTime = time.AddDays(-1),
                Deadline = time,
            }
        );
        using var patched = await ingestion.Http.PatchAsync(
            "/api/deliveryrequests/order-1",
            new RescheduleRequest { Deadline = time }
        );

        Assert.Equal((expected, expected), (posted.StatusCode, patched.StatusCode));
        if (expected == HttpStatusCode.BadRequest)
            Assert.Equal(["deadline"], await posted.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task All_errors_of_a_field_are_reported_together()
    {
        var tooLong = string.Concat(Enumerable.Repeat("\\u0001", DeliveryRequest.MaxInstructionsLength + 1));

        using var response = await PostAsync(RequestWith("instructions", $"\"{tooLong}\""));

        var problem = await response.ReadProblemAsync(HttpStatusCode.BadRequest);
        Assert.Equal(2, problem.GetProperty("errors").GetProperty("instructions").GetArrayLength());
    }

    private Task<HttpResponseMessage> PostAsync(string body) =>
        shared.Ingestion.Http.SendAsync(HttpMethod.Post, "/api/deliveryrequests", body);

    private static string RequestWith(string field, string? value)
    {
        var request = JsonSerializer
            .SerializeToNode(SampleRequests.Delivery("order-1"), ContractJson.Options)!
            .AsObject();
        var names = field.Split('.');
        var owner = names.SkipLast(1).Aggregate(request, (node, name) => node[name]!.AsObject());
        if (value is null)
            owner.Remove(names[^1]);
        else
            owner[names[^1]] = JsonNode.Parse(value);
        return request.ToJsonString();
    }
}
