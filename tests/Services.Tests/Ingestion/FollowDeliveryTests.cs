using System.Net;
using System.Net.Http.Json;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Ingestion;

public sealed class FollowDeliveryTests
{
    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Location_answers_202_until_the_delivery_is_recorded_and_then_its_status()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        using var accepted = await ingestion.Http.PostAsJsonAsync(
            "/api/deliveryrequests", SampleRequests.Delivery("order-1"), ContractJson.Options, Cancelled);

        using var pending = await ingestion.Http.GetAsync(accepted.Headers.Location, Cancelled);
        Assert.Equal(HttpStatusCode.Accepted, pending.StatusCode);
        Assert.NotNull(pending.Headers.RetryAfter?.Delta);

        ingestion.Backends.Deliveries["order-1"] = SampleRequests.Recorded("order-1");
        using var recorded = await ingestion.Http.GetAsync(pending.Headers.Location, Cancelled);
        Assert.Equal(HttpStatusCode.OK, recorded.StatusCode);
        Assert.Equal("order-1", (await recorded.Content.ReadFromJsonAsync<DeliveryStatus>(ContractJson.Options, Cancelled))!.DeliveryId);
    }

    [Fact]
    public async Task Location_says_in_UTC_when_the_request_was_accepted()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();

        using var pending = await ingestion.Http.GetAsync(
            new Uri("/api/deliveryrequests/order-1?acceptedAt=2030-01-31T12:00:00%2B02:00", UriKind.Relative), Cancelled);

        Assert.Equal("/api/deliveryrequests/order-1?acceptedAt=2030-01-31T10:00:00Z", pending.Headers.Location?.OriginalString);
    }

    [Fact]
    public async Task An_unknown_id_is_not_found()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();

        using var response = await ingestion.Http.GetAsync(new Uri("/api/deliveryrequests/nobody", UriKind.Relative), Cancelled);

        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType?.MediaType);
        Assert.Contains("nobody", await response.Content.ReadAsStringAsync(Cancelled), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_Delivery_service_that_fails_makes_503_with_Retry_After()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        ingestion.Backends.Interfere = _ => Task.FromResult<int?>(500);

        using var response = await ingestion.Http.GetAsync(new Uri("/api/deliveryrequests/order-1", UriKind.Relative), Cancelled);

        Assert.Equal(HttpStatusCode.ServiceUnavailable, response.StatusCode);
        Assert.NotNull(response.Headers.RetryAfter?.Delta);
    }
}
