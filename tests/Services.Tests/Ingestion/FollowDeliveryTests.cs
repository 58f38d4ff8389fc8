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
    public async Task Status_URL_returns_202_until_the_delivery_is_recorded()
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
    public async Task Id_used_by_another_request_is_a_conflict()
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
    public async Task Baggage_of_clients_is_not_forwarded()
    {
        const string trace = "0af7651916cd43dd8448eb211c80319c";
        await using var delivery = await FakeReplica.StartAsync();
        delivery.Answer = () => Task.FromResult(404);
        await using var ingestion = await IngestionUnderTest.StartAsync(
            new()
            {
                ["services:delivery:http:0"] = delivery.Address,
                // As with telemetry. Otherwise, the server creates no activity and thus no trace to continue.
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
    public async Task Forged_or_foreign_acceptance_token_is_not_found()
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
    public async Task Status_URL_does_not_repeat_white_space_of_the_token(string added)
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        using var accepted = await PostAsync(ingestion, SampleRequests.Delivery("order-1"));

        using var pending = await ingestion.Http.SendAsync(HttpMethod.Get, $"{accepted.Headers.Location}{added}");

        Assert.Equal(HttpStatusCode.Accepted, pending.StatusCode);
        Assert.Equal(accepted.Headers.Location, pending.Headers.Location);
    }

    [Theory]
    [InlineData("1", "/drones/api/deliveryrequests/order-1?acceptance=")]
    [InlineData("0", "/api/deliveryrequests/order-1?acceptance=")] // There is no trusted proxy.
    public async Task Status_URL_starts_with_the_prefix_that_a_proxy_removed(string proxies, string start)
    {
        await using var ingestion = await IngestionUnderTest.StartAsync(new() { ["RateLimit:Proxies"] = proxies });
        ingestion.Http.DefaultRequestHeaders.Add("X-Forwarded-Prefix", "/drones");

        using var accepted = await PostAsync(ingestion, SampleRequests.Delivery("order-1"));
        var path = accepted.Headers.Location!.OriginalString.Replace("/drones", "", StringComparison.Ordinal);
        using var pending = await ingestion.Http.SendAsync(HttpMethod.Get, path);

        Assert.StartsWith(start, accepted.Headers.Location.OriginalString, StringComparison.Ordinal);
        Assert.Equal(accepted.Headers.Location, pending.Headers.Location);
    }

    /// <param name="key"><c>null</c> to derive the key from the connection string, which all replicas share.</param>
    [Theory]
    [InlineData(null, HttpStatusCode.Accepted)]
    [InlineData(OtherKey, HttpStatusCode.NotFound)]
    public async Task Replicas_with_the_same_key_accept_each_others_tokens(string? key, HttpStatusCode withoutKey)
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
    public async Task Status_URL_of_an_unrecorded_request_expires()
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
    public async Task Status_URL_of_a_change_is_unknown_until_the_delivery_exists(string method)
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
    public async Task Failing_Delivery_service_is_called_twice_and_returns_503()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync(new() { ["Resilience:RetryDelays"] = null });
        ingestion.Backends.Answer(_ => 500);

        using var response = await ingestion.Http.SendAsync(HttpMethod.Get, "/api/deliveryrequests/order-1");

        await response.ReadUnavailableAsync("delivery-unavailable");
        Assert.Equal(2, ingestion.Backends.Calls.Count);
    }

    [Fact]
    public async Task Connection_reset_by_Delivery_returns_503()
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
    public async Task Invalid_response_of_Delivery_returns_503(string mediaType, string body)
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
