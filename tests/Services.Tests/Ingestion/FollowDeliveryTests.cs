using System.Net;
using System.Text.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Testing;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Services.Tests.Ingestion;

public sealed class FollowDeliveryTests
{
    private const string OtherKey = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

    [Fact]
    public async Task Location_answers_202_and_since_when_until_the_delivery_is_recorded_and_then_its_status()
    {
        var now = new DateTimeOffset(2030, 1, 31, 12, 0, 0, TimeSpan.Zero);
        await using var ingestion = await IngestionUnderTest.StartAsync(time: new ManualTimeProvider(now));
        using var accepted = await PostAsync(ingestion, SampleRequests.Delivery("order-1"));

        using var pending = await ingestion.Http.GetAsync(accepted.Headers.Location, Cancelled);
        var body = await pending.ReadAsync<JsonElement>(HttpStatusCode.Accepted);
        Assert.NotNull(pending.Headers.RetryAfter?.Delta);
        Assert.Equal(accepted.Headers.Location, pending.Headers.Location);
        Assert.Equal("order-1", body.GetProperty("deliveryId").GetString());
        Assert.Equal("Pending", body.GetProperty("stage").GetString());
        Assert.Equal(now, body.GetProperty("acceptedAt").GetDateTimeOffset());

        ingestion.Backends.Deliveries["order-1"] = Deliveries.Sample;
        using var recorded = await ingestion.Http.GetAsync(pending.Headers.Location, Cancelled);
        Assert.Equal("order-1", (await recorded.ReadAsync<DeliveryStatus>()).DeliveryId);
    }

    [Fact]
    public async Task An_id_that_belongs_to_another_request_is_a_conflict_for_this_one_alone()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        using var first = await PostAsync(ingestion, SampleRequests.Delivery("order-1"));
        using var again = await PostAsync(ingestion, SampleRequests.Delivery("order-1"));
        using var second = await PostAsync(ingestion, SampleRequests.Delivery("order-1") with { Expedited = false });
        var recorded = (string)(await ingestion.Queue.TakeAsync()).ApplicationProperties["fingerprint"];
        ingestion.Backends.Statuses["order-1"] = new()
        {
            DeliveryId = "order-1",
            Stage = DeliveryStage.Created,
            Fingerprint = recorded,
            Events = [],
        };

        using var mine = await ingestion.Http.GetAsync(first.Headers.Location, Cancelled);
        using var replayed = await ingestion.Http.GetAsync(again.Headers.Location, Cancelled);
        using var other = await ingestion.Http.GetAsync(second.Headers.Location, Cancelled);

        Assert.Equal((HttpStatusCode.OK, HttpStatusCode.OK), (mine.StatusCode, replayed.StatusCode));
        var problem = await other.ReadProblemAsync(HttpStatusCode.Conflict);
        Assert.Equal("urn:drone-delivery:other-request", problem.GetProperty("type").GetString());
        Assert.Contains("order-1", problem.GetProperty("detail").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Of_what_a_client_says_of_a_trace_the_baggage_is_not_handed_on()
    {
        const string trace = "0af7651916cd43dd8448eb211c80319c";
        await using var delivery = await FakeReplica.StartAsync();
        delivery.Answer = () => Task.FromResult(404);
        await using var ingestion = await IngestionUnderTest.StartAsync(
            new()
            {
                ["services:delivery:http:0"] = delivery.Address,
                // As with telemetry: otherwise the server makes no activity, and so there is no trace to go on with.
                ["Logging:LogLevel:Microsoft.AspNetCore.Hosting.Diagnostics"] = "Warning",
            }
        );
        (string, string)[] told =
        [
            ("traceparent", $"00-{trace}-b7ad6b7169203331-01"),
            ("baggage", "deliveryId=victim"),
        ];

        using var response = await ingestion.Http.SendAsync(
            HttpMethod.Get,
            "/api/deliveryrequests/order-1",
            null,
            told
        );

        Assert.Contains(trace, Assert.Single(delivery.Header("traceparent")), StringComparison.Ordinal);
        Assert.Equal([""], delivery.Header("baggage"));
    }

    [Fact]
    public async Task Nobody_can_make_up_an_acceptance_or_use_that_of_another_delivery()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        using var accepted = await PostAsync(ingestion, SampleRequests.Delivery("order-1"));
        var token = accepted.Headers.Location!.OriginalString.Split("?acceptance=")[1];
        string[] wrong =
        [
            "",
            "?acceptance=",
            "?acceptance=%20",
            "?acceptance=no-token",
            "?acceptedAt=2030-01-31T12:00:00Z",
            "?acceptance=AQAAAbm2Z4AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            .. new[] { 0, 8, 20, 40 }.Select(at =>
                $"?acceptance={token[..at]}{(token[at] == 'A' ? 'B' : 'A')}{token[(at + 1)..]}"
            ),
        ];

        foreach (var target in wrong.Select(query => $"order-1{query}").Append($"order-2?acceptance={token}"))
        {
            using var response = await ingestion.Http.SendAsync(HttpMethod.Get, $"/api/deliveryrequests/{target}");
            var problem = await response.ReadProblemAsync(HttpStatusCode.NotFound);
            Assert.Contains(target.Split('?')[0], problem.GetProperty("detail").GetString(), StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("%0A")]
    [InlineData("%0D%0A")]
    [InlineData("%20")]
    [InlineData("%09")]
    [InlineData("=")]
    public async Task Location_repeats_no_white_space_of_the_acceptance(string added)
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        using var accepted = await PostAsync(ingestion, SampleRequests.Delivery("order-1"));

        using var pending = await ingestion.Http.SendAsync(HttpMethod.Get, $"{accepted.Headers.Location}{added}");

        Assert.Equal(HttpStatusCode.Accepted, pending.StatusCode);
        Assert.Equal(accepted.Headers.Location, pending.Headers.Location);
    }

    [Theory]
    [InlineData("1", "/drones/api/deliveryrequests/order-1?acceptance=")]
    [InlineData("0", "/api/deliveryrequests/order-1?acceptance=")] // no proxy to trust
    public async Task Location_starts_with_the_prefix_that_a_proxy_removed(string proxies, string start)
    {
        await using var ingestion = await IngestionUnderTest.StartAsync(new() { ["RateLimit:Proxies"] = proxies });
        ingestion.Http.DefaultRequestHeaders.Add("X-Forwarded-Prefix", "/drones");

        using var accepted = await PostAsync(ingestion, SampleRequests.Delivery("order-1"));
        var path = accepted.Headers.Location!.OriginalString.Replace("/drones", "", StringComparison.Ordinal);
        using var pending = await ingestion.Http.SendAsync(HttpMethod.Get, path);

        Assert.StartsWith(start, accepted.Headers.Location.OriginalString, StringComparison.Ordinal);
        Assert.Equal(accepted.Headers.Location, pending.Headers.Location);
    }

    /// <param name="key">Null: it is derived from the connection string, which is the same everywhere.</param>
    [Theory]
    [InlineData(null, HttpStatusCode.Accepted)]
    [InlineData(OtherKey, HttpStatusCode.NotFound)]
    public async Task Replicas_with_the_same_key_read_each_others_acceptances(string? key, HttpStatusCode withoutKey)
    {
        await using var one = await IngestionUnderTest.StartAsync(new() { ["Ingestion:AcceptanceKey"] = key });
        await using var same = await IngestionUnderTest.StartAsync(new() { ["Ingestion:AcceptanceKey"] = key });
        await using var derived = await IngestionUnderTest.StartAsync();
        using var accepted = await PostAsync(one, SampleRequests.Delivery("order-1"));

        using var readable = await same.Http.GetAsync(accepted.Headers.Location, Cancelled);
        using var ofDerived = await derived.Http.GetAsync(accepted.Headers.Location, Cancelled);

        Assert.Equal((HttpStatusCode.Accepted, withoutKey), (readable.StatusCode, ofDerived.StatusCode));
    }

    [Fact]
    public async Task Ingestion_AcceptanceLifetime_ends_the_wait_for_a_request_that_nobody_recorded()
    {
        var time = new ManualTimeProvider(new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero));
        await using var ingestion = await IngestionUnderTest.StartAsync(
            new() { ["Ingestion:AcceptanceLifetime"] = "1.00:00:00" },
            time
        );
        using var accepted = await PostAsync(ingestion, SampleRequests.Delivery("order-1"));

        time.Jump(TimeSpan.FromHours(24));
        using var inTime = await ingestion.Http.GetAsync(accepted.Headers.Location, Cancelled);
        time.Advance(TimeSpan.FromMilliseconds(1));
        using var late = await ingestion.Http.GetAsync(accepted.Headers.Location, Cancelled);

        Assert.Equal((HttpStatusCode.Accepted, HttpStatusCode.NotFound), (inTime.StatusCode, late.StatusCode));
    }

    [Theory]
    [InlineData("PATCH")]
    [InlineData("DELETE")]
    public async Task The_Location_of_a_change_is_unknown_as_long_as_its_delivery(string method)
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        var body = method == "PATCH" ? """{"deadline":"2030-02-01T08:00:00Z"}""" : null;
        using var changed = await ingestion.Http.SendAsync(
            new HttpMethod(method),
            "/api/deliveryrequests/order-1",
            body
        );

        using var response = await ingestion.Http.GetAsync(changed.Headers.Location, Cancelled);

        Assert.Equal(HttpStatusCode.Accepted, changed.StatusCode);
        await response.ReadProblemAsync(HttpStatusCode.NotFound);
    }

    /// <summary>With the retries of a message handler, a client would wait for nine seconds.</summary>
    [Fact]
    public async Task A_Delivery_service_that_fails_is_asked_once_more_and_then_makes_503_with_Retry_After()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync(new() { ["Resilience:RetryDelays"] = null });
        ingestion.Backends.Answer(_ => 500);

        using var response = await ingestion.Http.SendAsync(HttpMethod.Get, "/api/deliveryrequests/order-1");

        await response.ReadUnavailableAsync("delivery-unavailable");
        Assert.Equal(2, ingestion.Backends.Calls.Count);
    }

    [Fact]
    public async Task A_Delivery_service_that_resets_connections_makes_503_with_Retry_After()
    {
        using var delivery = new ResettingServer();
        await using var ingestion = await IngestionUnderTest.StartAsync(
            new() { ["services:delivery:http:0"] = delivery.Address }
        );

        using var response = await ingestion.Http.SendAsync(HttpMethod.Get, "/api/deliveryrequests/order-1");

        await response.ReadUnavailableAsync("delivery-unavailable");
    }

    [Theory]
    [InlineData("text/html", "<html>Welcome</html>")]
    [InlineData("application/json", "{}")]
    [InlineData("application/json", "null")]
    public async Task An_answer_that_is_no_status_makes_503_with_Retry_After(string mediaType, string body)
    {
        await using var proxy = await FakeReplica.StartAsync();
        proxy.Write = response =>
        {
            response.ContentType = mediaType;
            return response.WriteAsync(body, Cancelled);
        };
        await using var ingestion = await IngestionUnderTest.StartAsync(
            new() { ["services:delivery:http:0"] = proxy.Address }
        );

        using var response = await ingestion.Http.SendAsync(HttpMethod.Get, "/api/deliveryrequests/order-1");

        await response.ReadUnavailableAsync("delivery-unavailable");
    }

    private static Task<HttpResponseMessage> PostAsync(IngestionUnderTest ingestion, DeliveryRequest request) =>
        ingestion.Http.PostAsync("/api/deliveryrequests", request);
}
