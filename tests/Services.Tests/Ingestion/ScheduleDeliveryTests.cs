using System.Net;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Ingestion;

public sealed class ScheduleDeliveryTests
{
    [Fact]
    public async Task Request_is_accepted_once_the_broker_has_stored_it()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        var request = SampleRequests.Delivery("order-1");

        using var response = await ingestion.Http.PostAsync("/api/deliveryrequests", request);

        Assert.Equal(request, await response.ReadAsync<DeliveryRequest>(HttpStatusCode.Accepted));
        Assert.Equal(1, ingestion.Queue.Counts.Incoming);
        using var again = await ingestion.Http.PostAsync("/api/deliveryrequests", request);
        Assert.Equal((HttpStatusCode.Accepted, 1), (again.StatusCode, ingestion.Queue.Counts.Active));
        var message = await ingestion.Queue.TakeAsync();
        Assert.Equal("order-1", message.MessageId);
        Assert.Equal("order-1", message.CorrelationId);
        Assert.Equal("application/json", message.ContentType);
        Assert.Equal("delivery", message.ApplicationProperties["operation"]);
        Assert.Equal(request, message.Body.ToObjectFromJson<DeliveryRequest>(ContractJson.Options));
    }

    [Fact]
    public async Task Fingerprint_depends_on_the_content_but_not_on_the_id()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        var request = SampleRequests.Delivery("order-1");
        var other = request with { DeliveryId = "order-3", PackageInfo = request.PackageInfo with { Weight = 2.6 } };

        foreach (var each in new[] { request, request with { DeliveryId = "order-2" }, other })
            (await ingestion.Http.PostAsync("/api/deliveryrequests", each)).Dispose();

        var (first, same, different) = (await FingerprintAsync(), await FingerprintAsync(), await FingerprintAsync());
        Assert.Matches("^[A-Za-z0-9_-]{22}$", first);
        Assert.Equal(first, same);
        Assert.NotEqual(first, different);

        async Task<string> FingerprintAsync() =>
            (string)(await ingestion.Queue.TakeAsync()).ApplicationProperties["fingerprint"];
    }

    [Fact]
    public async Task Request_without_an_id_gets_one()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
        var request = SampleRequests.Delivery("x") with { DeliveryId = null };

        using var first = await ingestion.Http.PostAsync("/api/deliveryrequests", request);
        using var second = await ingestion.Http.PostAsync("/api/deliveryrequests", request);

        var ids = new[] { await IdOf(first), await IdOf(second) };
        Assert.All(ids, id => Assert.True(new IdAttribute().IsValid(id)));
        Assert.Equal(2, ids.Distinct().Count());
        Assert.Equal(ids[0], (await ingestion.Queue.TakeAsync()).MessageId);
    }

    private static async Task<string> IdOf(HttpResponseMessage response) =>
        (await response.ReadAsync<DeliveryRequest>(HttpStatusCode.Accepted)).DeliveryId!;
}
