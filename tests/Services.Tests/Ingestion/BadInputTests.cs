using System.Globalization;
using System.Net;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using DroneDelivery.Contracts;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Ingestion;

/// <summary>Each mistake gets a problem that names its field, and nothing of it reaches the queue.</summary>
public sealed class BadInputTests
{
    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

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
    [InlineData("packageInfo.size", "\"Gigantic\"")]
    [InlineData("packageInfo.size", "7")]
    [InlineData("packageInfo.weight", "-1")]
    [InlineData("packageInfo.weight", "\"heavy\"")]
    [InlineData("packageInfo.weight", "1e9")]
    [InlineData("packageInfo.tag", "\"\\u0000\"")]
    [InlineData("confirmationRequired", "\"Handshake\"")]
    [InlineData("pickupLocation.latitude", "91")]
    [InlineData("pickupLocation.latitude", "90.4")]
    [InlineData("dropOffLocation.longitude", "1e10")]
    [InlineData("pickupLocation.longitude", "-181")]
    [InlineData("pickupTime", "\"tomorrow\"")]
    [InlineData("pickupTime", "\"0001-01-01T00:00:00Z\"")]
    [InlineData("pickupTime", "\"9999-12-31T23:59:59Z\"")]
    [InlineData("pickupTime", "\"9998-12-31T23:30:00-01:00\"")] // the year counts by UTC
    [InlineData("deadline", "\"1999-12-31T23:59:59Z\"")]
    [InlineData("deadline", "\"2030-01-31T11:59:59Z\"")] // a second before the pickup
    [InlineData("deadline", "\"2030-01-31T13:59:59+02:00\"")]
    [InlineData("expedited", "\"yes\"")]
    [InlineData("expidited", "true")]
    [InlineData("packageInfo.wieght", "1")]
    public async Task A_field_that_is_missing_or_wrong_is_named(string field, string? value)
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();

        using var response = await PostAsync(ingestion, RequestWith(field, value));

        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType?.MediaType);
        using var problem = JsonDocument.Parse(await response.Content.ReadAsStringAsync(Cancelled));
        Assert.Equal([field], problem.RootElement.GetProperty("errors").EnumerateObject().Select(error => error.Name));
        Assert.Equal(0, ingestion.Queue.Counts.Incoming);
    }

    [Theory]
    [InlineData("deliveryId")]
    [InlineData("ownerId")]
    [InlineData("packageInfo.packageId")]
    [InlineData("packageInfo.tag")]
    public async Task A_field_that_is_too_long_is_named(string field)
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();

        using var response = await PostAsync(ingestion, RequestWith(field, $"\"{new string('x', 101)}\""));

        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        using var problem = JsonDocument.Parse(await response.Content.ReadAsStringAsync(Cancelled));
        Assert.Equal([field], problem.RootElement.GetProperty("errors").EnumerateObject().Select(error => error.Name));
    }

    [Theory]
    [InlineData("ownerId", "{\"ownerId\"", "{\"ownerId\":\"owner-2\",\"ownerId\"")]
    [InlineData("ownerId", "{\"ownerId\"", "{\"OWNERID\":\"owner-2\",\"ownerId\"")]
    [InlineData("packageInfo.tag", "\"tag\"", "\"tag\":\"pens\",\"tag\"")]
    public async Task A_member_that_is_there_twice_is_named(string field, string once, string twice)
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        var body = RequestWith("deliveryId", null).Replace(once, twice, StringComparison.Ordinal);

        using var response = await PostAsync(ingestion, body);

        Assert.Equal([field], await response.ReadInvalidFieldsAsync());
        Assert.Equal(0, ingestion.Queue.Counts.Incoming);
    }

    [Theory]
    [InlineData("2040-01-31T12:00:00Z", HttpStatusCode.Accepted)]
    [InlineData("2040-01-31T12:00:01Z", HttpStatusCode.BadRequest)]
    public async Task A_pickup_time_is_within_ten_years(string pickupTime, HttpStatusCode expected)
    {
        await using var ingestion = await IngestionUnderTest.StartAsync(
            time: new ManualTimeProvider(new(2030, 1, 31, 12, 0, 0, TimeSpan.Zero)));
        var time = DateTimeOffset.Parse(pickupTime, CultureInfo.InvariantCulture);

        using var posted = await ingestion.Http.PostAsync(
            "/api/deliveryrequests", SampleRequests.Delivery("order-1") with { PickupTime = time, Deadline = null });
        using var patched = await ingestion.Http.PatchAsync("/api/deliveryrequests/order-1", new RescheduleRequest { PickupTime = time });

        Assert.Equal((expected, expected), (posted.StatusCode, patched.StatusCode));
        if (expected == HttpStatusCode.BadRequest)
            Assert.Equal(["pickupTime"], await posted.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task All_that_is_wrong_with_a_field_is_told_at_once()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        var tooLong = string.Concat(Enumerable.Repeat("\\u0001", DeliveryRequest.MaxInstructionsLength + 1));

        using var response = await PostAsync(ingestion, RequestWith("instructions", $"\"{tooLong}\""));

        using var problem = JsonDocument.Parse(await response.Content.ReadAsStringAsync(Cancelled));
        Assert.Equal(2, problem.RootElement.GetProperty("errors").GetProperty("instructions").GetArrayLength());
    }

    [Theory]
    [InlineData("{")]
    [InlineData("")]
    [InlineData("null")]
    [InlineData("[]")]
    [InlineData("\"text\"")]
    [InlineData("{\"ownerId\":}")]
    public async Task A_body_that_is_no_request_is_refused_with_a_problem(string body)
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();

        using var response = await PostAsync(ingestion, body);

        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType?.MediaType);
        Assert.Equal(0, ingestion.Queue.Counts.Incoming);
    }

    [Fact]
    public async Task A_body_of_2_MiB_is_too_large()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();

        using var response = await PostAsync(ingestion, RequestWith("packageInfo.tag", $"\"{new string('x', 2 * 1024 * 1024)}\""));

        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, response.StatusCode);
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType?.MediaType);
    }

    [Fact]
    public async Task A_body_that_is_not_declared_as_JSON_is_refused()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        using var text = new StringContent(RequestWith("ownerId", "\"owner-1\""), Encoding.UTF8, "text/plain");

        using var response = await ingestion.Http.PostAsync(new Uri("/api/deliveryrequests", UriKind.Relative), text, Cancelled);

        Assert.Equal(HttpStatusCode.UnsupportedMediaType, response.StatusCode);
    }

    [Theory]
    [InlineData("PUT", "/api/deliveryrequests")]
    [InlineData("GET", "/api/deliveryrequests")]
    [InlineData("POST", "/api/deliveryrequests/order-1")]
    public async Task A_wrong_verb_is_answered_with_the_verbs_that_are_allowed(string method, string path)
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        using var request = new HttpRequestMessage(new HttpMethod(method), path);

        using var response = await ingestion.Http.SendAsync(request, Cancelled);

        Assert.Equal(HttpStatusCode.MethodNotAllowed, response.StatusCode);
        Assert.NotEmpty(response.Content.Headers.Allow);
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType?.MediaType);
    }

    private static async Task<HttpResponseMessage> PostAsync(IngestionUnderTest ingestion, string body)
    {
        using var json = new StringContent(body, Encoding.UTF8, "application/json");
        return await ingestion.Http.PostAsync(new Uri("/api/deliveryrequests", UriKind.Relative), json, Cancelled);
    }

    /// <summary>A good request but for one field, which has the given JSON, or is left out.</summary>
    private static string RequestWith(string field, string? value)
    {
        var request = JsonSerializer.SerializeToNode(SampleRequests.Delivery("order-1"), ContractJson.Options)!.AsObject();
        var names = field.Split('.');
        var owner = names.SkipLast(1).Aggregate(request, (node, name) => node[name]!.AsObject());
        if (value is null)
            owner.Remove(names[^1]);
        else
            owner[names[^1]] = JsonNode.Parse(value);
        return request.ToJsonString();
    }
}
