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
    public async Task Its_status_is_Failed_with_the_first_reason_and_without_a_drone_as_long_as_that_of_a_delivery()
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
    public async Task It_is_no_delivery_and_nobody_can_change_it()
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
        await RefusedAsync("failed", await _service.Http.SendAsync(HttpMethod.Delete, "/api/deliveries/d1"));
        await RefusedAsync("failed", await _service.Http.PatchAsync("/api/deliveries/d1", new DeliveryReschedule()));
        await RefusedAsync("failed", await _service.Http.PostAsync("/api/deliveries/d1/confirmations", confirmation));
        Assert.Equal("0", await _service.RedisAsync("SCARD owner:owner-1:2030-01"));
    }

    [Fact]
    public async Task A_newer_attempt_that_succeeds_takes_its_place_and_one_that_fails_gives_the_new_reason()
    {
        var again = Failed with
        {
            Attempt = 1,
            Failure = new() { Reason = "urn:drone-delivery:package-differs", Detail = "It differs." },
        };
        await FailAsync(Failed);
        await FailAsync(again);
        Assert.Equal(again.Failure, (await StatusAsync()).Failure);
        foreach (var attempt in new[] { 0, 1 }) // steps that come late
            await RefusedAsync("failed", await RecordAsync(Recorded with { Attempt = attempt }));
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
    public async Task A_request_whose_delivery_is_recorded_has_not_failed_nor_one_of_a_producer_that_names_no_content()
    {
        await RecordAsync(Recorded);
        await RecordAsync(Deliveries.Sample, "older");

        foreach (var attempt in new[] { 0, 1 })
            await RefusedAsync("recorded", await PutFailureAsync(Failed with { Attempt = attempt }));
        await RefusedAsync("recorded", await PutFailureAsync(Failed, "older"));

        Assert.Equal(
            (DeliveryStage.Created, "content-1"),
            ((await StatusAsync()).Stage, (await StatusAsync()).Fingerprint)
        );
        Assert.Equal(HttpStatusCode.OK, (await RecordAsync(Recorded, "older")).StatusCode);
    }

    [Fact]
    public async Task Another_request_with_the_same_id_ends_neither_a_delivery_nor_a_failure_and_is_recorded_in_place_of_none()
    {
        await RecordAsync(Recorded);
        await RefusedAsync("other-request", await PutFailureAsync(Failed with { Fingerprint = "content-2" }));
        await RefusedAsync("other-request", await RecordAsync(Recorded with { Fingerprint = "content-2" }));

        await FailAsync(Failed, "d2");
        await RefusedAsync(
            "other-request",
            await PutFailureAsync(Failed with { Fingerprint = "content-2", Attempt = 1 }, "d2")
        );
        await RefusedAsync(
            "other-request",
            await RecordAsync(Recorded with { Fingerprint = "content-2", Attempt = 1 }, "d2")
        );

        Assert.Equal(
            (DeliveryStage.Created, DeliveryStage.Failed),
            ((await StatusAsync()).Stage, (await StatusAsync("d2")).Stage)
        );
    }

    [Fact]
    public async Task Of_a_failure_and_its_late_delivery_that_come_together_exactly_one_is_accepted()
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

    private static async Task RefusedAsync(string type, HttpResponseMessage response) =>
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
