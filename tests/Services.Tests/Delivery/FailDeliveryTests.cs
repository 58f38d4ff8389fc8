using System.Globalization;
using System.Net;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Delivery;

public sealed class FailDeliveryTests : IAsyncLifetime
{
    private static readonly FailedDelivery Failed = new()
    {
        OwnerId = "owner-1",
        Fingerprint = "content-1",
        Attempt = 0,
        Failure = new() { Reason = "urn:drone-delivery:no-suitable-drone", Detail = "No drone can carry it." },
    };

    private static readonly DeliveryUpsert Recorded = Deliveries.Sample with { Fingerprint = "content-1" };

    private DeliveryUnderTest _service = null!;

    public async ValueTask InitializeAsync() => _service = await DeliveryUnderTest.StartAsync();

    public ValueTask DisposeAsync() => _service is null ? default : _service.DisposeAsync();

    [Fact]
    public async Task Failed_request_reports_its_first_reason_and_no_drone()
    {
        await FailAsync(Failed);
        await FailAsync(
            Failed with
            {
                Failure = new() { Reason = "urn:drone-delivery:failed", Detail = "It has failed." },
            }
        );

        var status = await StatusAsync();
        Assert.Equal(
            (DeliveryStage.Failed, "content-1", Failed.Failure),
            (status.Stage, status.Fingerprint, status.Failure)
        );
        Assert.Equal((null, null, null), (status.LastKnownLocation, status.PickupEta, status.DeliveryEta));
        Assert.Equal([DeliveryStage.Failed], status.Events.Select(what => what.Stage));
        Assert.Equal("owner-1", (await _service.Http.GetAsync<DeliveryOwner>("/api/deliveries/d1/owner")).OwnerId);
        foreach (var key in new[] { "delivery:d1", "delivery:d1:events" })
        {
            var milliseconds = long.Parse(await _service.RedisAsync($"PTTL {key}"), CultureInfo.InvariantCulture);
            Assert.InRange(TimeSpan.FromMilliseconds(milliseconds), TimeSpan.FromDays(29), TimeSpan.FromDays(30));
        }
    }

    [Fact]
    public async Task Failed_request_cannot_be_changed()
    {
        await FailAsync(Failed);

        foreach (var path in new[] { "", "/confirmations" })
        {
            Assert.Equal(
                HttpStatusCode.NotFound,
                (await _service.Http.SendAsync(HttpMethod.Get, "/api/deliveries/d1" + path)).StatusCode
            );
        }

        var confirmation = Deliveries.Confirmation(_service.Time.GetUtcNow(), ConfirmationType.Voice);
        await AssertConflictAsync("failed", await _service.Http.SendAsync(HttpMethod.Delete, "/api/deliveries/d1"));
        await AssertConflictAsync(
            "failed",
            await _service.Http.PatchAsync("/api/deliveries/d1", new DeliveryReschedule())
        );
        await AssertConflictAsync(
            "failed",
            await _service.Http.PostAsync("/api/deliveries/d1/confirmations", confirmation)
        );
        Assert.Equal("0", await _service.RedisAsync("SCARD owner:owner-1:2030-01"));
    }

    [Fact]
    public async Task Newer_attempt_replaces_a_failure_and_its_reason()
    {
        var again = Failed with
        {
            Attempt = 1,
            Failure = new() { Reason = "urn:drone-delivery:package-differs", Detail = "It differs." },
        };
        await FailAsync(Failed);
        await FailAsync(again);
        Assert.Equal(again.Failure, (await StatusAsync()).Failure);
        foreach (var attempt in new[] { 0, 1 }) // Late steps.
            await AssertConflictAsync("failed", await RecordAsync(Recorded with { Attempt = attempt }));
        Assert.Equal(DeliveryStage.Failed, (await StatusAsync()).Stage);

        using var recorded = await RecordAsync(Recorded with { Attempt = 2 });

        Assert.Equal(HttpStatusCode.Created, recorded.StatusCode);
        var status = await StatusAsync();
        Assert.Equal((DeliveryStage.Created, null, "content-1"), (status.Stage, status.Failure, status.Fingerprint));
        Assert.Equal(
            [DeliveryStage.Failed, DeliveryStage.Failed, DeliveryStage.Created],
            status.Events.Select(what => what.Stage)
        );
        Assert.Equal(
            1,
            (
                await _service.Http.GetAsync<DeliverySummary>(
                    "/api/deliveries/summary?ownerId=owner-1&year=2030&month=1"
                )
            ).Count
        );
        Assert.Equal(HttpStatusCode.OK, (await RecordAsync(Recorded with { Attempt = 2 })).StatusCode);
    }

    [Fact]
    public async Task Recorded_delivery_cannot_fail()
    {
        await RecordAsync(Recorded);
        await RecordAsync(Deliveries.Sample, "older");

        foreach (var attempt in new[] { 0, 1 })
            await AssertConflictAsync("recorded", await PutFailureAsync(Failed with { Attempt = attempt }));
        await AssertConflictAsync("recorded", await PutFailureAsync(Failed, "older"));

        Assert.Equal(
            (DeliveryStage.Created, "content-1"),
            ((await StatusAsync()).Stage, (await StatusAsync()).Fingerprint)
        );
        Assert.Equal(HttpStatusCode.OK, (await RecordAsync(Recorded, "older")).StatusCode);
    }

    [Fact]
    public async Task Conflicting_request_with_same_id_changes_nothing()
    {
        await RecordAsync(Recorded);
        await AssertConflictAsync("other-request", await PutFailureAsync(Failed with { Fingerprint = "content-2" }));
        await AssertConflictAsync("other-request", await RecordAsync(Recorded with { Fingerprint = "content-2" }));

        await FailAsync(Failed, "d2");
        await AssertConflictAsync(
            "other-request",
            await PutFailureAsync(Failed with { Fingerprint = "content-2", Attempt = 1 }, "d2")
        );
        await AssertConflictAsync(
            "other-request",
            await RecordAsync(Recorded with { Fingerprint = "content-2", Attempt = 1 }, "d2")
        );

        Assert.Equal(
            (DeliveryStage.Created, DeliveryStage.Failed),
            ((await StatusAsync()).Stage, (await StatusAsync("d2")).Stage)
        );
    }

    [Fact]
    public async Task Only_one_of_concurrent_failure_and_delivery_is_accepted()
    {
        for (var i = 0; i < 50; i++)
        {
            var id = $"race-{i}";
            var answers = await Task.WhenAll(RecordAsync(Recorded, id), PutFailureAsync(Failed, id));

            Assert.Single(answers, answer => answer.StatusCode == HttpStatusCode.Conflict);
            var isRecorded = answers[0].StatusCode == HttpStatusCode.Created;
            Assert.Equal(isRecorded ? DeliveryStage.Created : DeliveryStage.Failed, (await StatusAsync(id)).Stage);
        }
    }

    private static async Task AssertConflictAsync(string type, HttpResponseMessage response) =>
        Assert.Equal($"urn:drone-delivery:{type}", await response.ReadProblemTypeAsync(HttpStatusCode.Conflict));

    private async Task FailAsync(FailedDelivery failed, string id = "d1")
    {
        using var response = await PutFailureAsync(failed, id);
        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
    }

    private Task<HttpResponseMessage> PutFailureAsync(FailedDelivery failed, string id = "d1") =>
        _service.Http.PutAsync($"/api/deliveries/{id}/failure", failed);

    private Task<HttpResponseMessage> RecordAsync(DeliveryUpsert delivery, string id = "d1") =>
        _service.Http.PutAsync($"/api/deliveries/{id}", delivery);

    private Task<DeliveryStatus> StatusAsync(string id = "d1") =>
        _service.Http.GetAsync<DeliveryStatus>($"/api/deliveries/{id}/status");
}
