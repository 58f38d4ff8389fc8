using System.Net;
using System.Text.Json;
using System.Text.RegularExpressions;
using DroneDelivery.Contracts;
using DroneDelivery.Services.Tests.ServiceDefaults;

namespace DroneDelivery.Services.Tests.Delivery;

public sealed class DeliveriesApiTests : IAsyncLifetime
{
    private DeliveryUnderTest _service = null!;

    private HttpClient Http => _service.Http;

    public async ValueTask InitializeAsync() => _service = await DeliveryUnderTest.StartAsync();

    public ValueTask DisposeAsync() => _service is null ? default : _service.DisposeAsync();

    [Fact]
    public async Task Delivery_accepts_unknown_properties_from_newer_callers()
    {
        var newer = JsonSerializer.SerializeToNode(Deliveries.Sample, ContractJson.Options)!;
        newer["insurance"] = true;
        newer["pickup"]!["floor"] = 3;

        using var stored = await Http.SendAsync(HttpMethod.Put, "/api/deliveries/d1", newer.ToJsonString());
        using var confirmed = await Http.SendAsync(
            HttpMethod.Post,
            "/api/deliveries/d1/confirmations",
            """{ "tyme": "2030-01-01T12:30:00Z" }"""
        );

        await stored.ReadAsync<DeliveryDetails>(HttpStatusCode.Created);
        Assert.Equal("/api/deliveries/d1", stored.Headers.Location?.OriginalString);
        Assert.Equal(
            new DeliveryDetails("d1", Deliveries.Sample),
            await Http.GetAsync<DeliveryDetails>("/api/deliveries/d1")
        );
        Assert.Equal("owner-1", (await Http.GetAsync<DeliveryOwner>("/api/deliveries/d1/owner")).OwnerId);
        Assert.Contains("tyme", await confirmed.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task PATCH_rejects_null_because_a_missing_property_is_kept()
    {
        using var response = await Http.SendAsync(HttpMethod.Patch, "/api/deliveries/d1", """{ "deadline": null }""");

        Assert.Equal(["deadline"], await response.ReadInvalidFieldsAsync());
    }

    [Theory]
    [InlineData("1e400")]
    [InlineData("-1")]
    [InlineData("1000001")]
    public async Task Distance_out_of_range_is_named(string distance)
    {
        var body = Regex.Replace(
            JsonSerializer.Serialize(Deliveries.Sample, ContractJson.Options),
            "(?<=\"distanceKm\":)[^,}]+",
            distance
        );

        using var response = await Http.SendAsync(HttpMethod.Put, "/api/deliveries/d1", body);

        Assert.Equal(["flightPlan.distanceKm"], await response.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task Racing_PUTs_create_one_delivery()
    {
        var answers = await Task.WhenAll(
            Enumerable.Range(0, 20).Select(_ => Http.PutAsync("/api/deliveries/d1", Deliveries.Sample))
        );

        var created = await answers
            .Single(answer => answer.StatusCode == HttpStatusCode.Created)
            .ReadAsync<DeliveryDetails>(HttpStatusCode.Created);
        foreach (var replayed in answers.Where(answer => answer.StatusCode != HttpStatusCode.Created))
            Assert.Equal(created, await replayed.ReadAsync<DeliveryDetails>());
        Assert.Single((await StatusAsync()).Events);
        Assert.Equal(1, await CountAsync(1));
    }

    /// <summary>Stored rows and replicas of the previous version compare requests by this fingerprint.</summary>
    [Fact]
    public async Task Fingerprint_of_a_request_is_stable()
    {
        await (
            await Http.PutAsync("/api/deliveries/d1", Deliveries.Sample with { Expedited = false })
        ).ReadAsync<DeliveryDetails>(HttpStatusCode.Created);

        var stored = JsonDocument
            .Parse(await _service.RedisAsync("GET delivery:d1"))
            .RootElement.GetProperty("request")
            .GetString();

        Assert.Equal(
            FingerprintTests.OfJson(
                """
                {"OwnerId":"owner-1",
                "Pickup":{"Latitude":47.7,"Longitude":-122.4,"Altitude":10},"Dropoff":{"Latitude":47.9,"Longitude":-122},
                "PickupTime":"2030-01-01T12:10:00+00:00","Deadline":"2030-01-01T15:00:00+00:00",
                "PackageId":"package-1"}
                """.ReplaceLineEndings("")
            ),
            stored
        );
    }

    /// <summary>
    /// Covers every property of the request except derived ones. A property that is added later is compared, or listed
    /// here.
    /// </summary>
    [Fact]
    public async Task Changing_any_property_makes_another_request()
    {
        var created = await CreateAsync();
        var other = Deliveries.Sample with
        {
            OwnerId = "owner-2",
            Pickup = Deliveries.Sample.Dropoff,
            Dropoff = Deliveries.Sample.Pickup,
            PickupTime = Deliveries.Sample.PickupTime.AddMinutes(1),
            Deadline = Deliveries.Sample.Deadline!.Value.AddMinutes(1),
            Expedited = !Deliveries.Sample.Expedited,
            ConfirmationRequired = ConfirmationType.Voice,
            Instructions = "Ring twice.",
            PackageId = "package-2",
            DroneId = "light-02",
            FlightPlan = Deliveries.Sample.FlightPlan.LaterBy(TimeSpan.FromHours(1)),
            Fingerprint = "of-the-request",
            Attempt = 1,
            AcceptedAt = Deliveries.Sample.PickupTime.AddDays(-1),
        };

        foreach (var member in typeof(DeliveryUpsert).GetProperties())
        {
            var changed = Deliveries.Sample with { };
            Assert.NotEqual(member.GetValue(changed), member.GetValue(other));
            member.SetValue(changed, member.GetValue(other));
            using var response = await Http.PutAsync("/api/deliveries/d1", changed);
            var follows =
                member.Name
                is nameof(DeliveryUpsert.DroneId)
                    or nameof(DeliveryUpsert.FlightPlan)
                    or nameof(DeliveryUpsert.Fingerprint)
                    or nameof(DeliveryUpsert.Attempt)
                    or nameof(DeliveryUpsert.AcceptedAt);
            Assert.True(
                response.StatusCode == (follows ? HttpStatusCode.OK : HttpStatusCode.Conflict),
                $"{member.Name}: {response.StatusCode}"
            );
        }
        Assert.Equal(created, await Http.GetAsync<DeliveryDetails>("/api/deliveries/d1"));
    }

    [Fact]
    public async Task Reschedule_without_a_change_adds_no_event()
    {
        await CreateAsync();
        var plan = Deliveries.Sample.FlightPlan.LaterBy(TimeSpan.FromHours(1));
        var change = new DeliveryReschedule { PickupTime = plan.PickupAt, FlightPlan = plan };
        var moved = await (await Http.PatchAsync("/api/deliveries/d1", change)).ReadAsync<DeliveryDetails>();
        Assert.Equal(moved, await (await Http.PatchAsync("/api/deliveries/d1", change)).ReadAsync<DeliveryDetails>());

        // The original request, with the plan that the drone scheduler has by now.
        var replayed = await (
            await Http.PutAsync("/api/deliveries/d1", Deliveries.Sample with { FlightPlan = plan })
        ).ReadAsync<DeliveryDetails>();

        Assert.Equal(moved, replayed);
        Assert.Equal(
            [DeliveryStage.Created, DeliveryStage.Rescheduled],
            (await StatusAsync()).Events.Select(what => what.Stage)
        );
    }

    [Fact]
    public async Task Reschedule_with_the_deadline_before_the_pickup_is_rejected()
    {
        var created = await CreateAsync();
        DeliveryReschedule[] mistakes =
        [
            new() { Deadline = created.PickupTime.AddSeconds(-1) },
            new() { PickupTime = created.Deadline!.Value.AddSeconds(1) },
        ];

        foreach (var mistake in mistakes)
        {
            var problem = await (await Http.PatchAsync("/api/deliveries/d1", mistake)).ReadProblemAsync(
                HttpStatusCode.BadRequest
            );
            Assert.True(problem.GetProperty("errors").TryGetProperty("deadline", out _));
        }

        Assert.Equal(created, await Http.GetAsync<DeliveryDetails>("/api/deliveries/d1"));
    }

    [Fact]
    public async Task Outdated_plan_is_ignored_but_its_deadline_is_stored()
    {
        await CreateAsync();
        var plan = Deliveries.Sample.FlightPlan.LaterBy(TimeSpan.FromHours(2));
        var newer = new DeliveryReschedule
        {
            PickupTime = plan.PickupAt,
            FlightPlan = plan,
            Revision = 2,
        };
        var older = newer with
        {
            PickupTime = Deliveries.Sample.PickupTime,
            FlightPlan = Deliveries.Sample.FlightPlan,
            Revision = 1,
            Deadline = plan.Landing,
        };

        var moved = await (await Http.PatchAsync("/api/deliveries/d1", newer)).ReadAsync<DeliveryDetails>();
        var stored = await (await Http.PatchAsync("/api/deliveries/d1", older)).ReadAsync<DeliveryDetails>();

        Assert.Equal(plan, moved.FlightPlan);
        Assert.Equal(moved with { Deadline = plan.Landing }, stored);
        Assert.Equal(stored, await Http.GetAsync<DeliveryDetails>("/api/deliveries/d1"));
    }

    [Theory]
    [InlineData(1, 2)]
    [InlineData(2, 1)]
    public async Task Deadline_accepted_last_wins_in_any_order(int first, int second)
    {
        await CreateAsync();
        var deadline = Deliveries.Sample.Deadline!.Value;
        DeliveryReschedule Accepted(int hours) =>
            new() { Deadline = deadline.AddHours(hours), AcceptedAt = _service.Time.GetUtcNow().AddHours(hours) };

        await Http.PatchAsync("/api/deliveries/d1", Accepted(first));
        await Http.PatchAsync("/api/deliveries/d1", Accepted(second));
        Assert.Equal(deadline.AddHours(2), (await Http.GetAsync<DeliveryDetails>("/api/deliveries/d1")).Deadline);

        // A deadline without an acceptance time takes effect, and keeps the earlier acceptance time.
        await Http.PatchAsync("/api/deliveries/d1", new DeliveryReschedule { Deadline = deadline });
        await Http.PatchAsync("/api/deliveries/d1", Accepted(1));
        Assert.Equal(deadline, (await Http.GetAsync<DeliveryDetails>("/api/deliveries/d1")).Deadline);
    }

    [Fact]
    public async Task Concurrent_reschedules_are_all_stored()
    {
        await CreateAsync();

        var patches = Enumerable
            .Range(1, 8)
            .Select(hours => new DeliveryReschedule { Deadline = Deliveries.Sample.Deadline!.Value.AddHours(hours) })
            .Select(reschedule => Http.PatchAsync("/api/deliveries/d1", reschedule));
        foreach (var response in await Task.WhenAll(patches))
            await response.ReadAsync<DeliveryDetails>();

        Assert.Equal(1 + 8, (await StatusAsync()).Events.Count);
    }

    [Fact]
    public async Task Summary_counts_by_UTC_month_of_pickup_without_canceled_ones()
    {
        var pickup = new DateTimeOffset(2030, 2, 1, 8, 0, 0, TimeSpan.FromHours(9));
        await CreateAsync("d1");
        await CreateAsync("cancelled");
        await Http.SendAsync(HttpMethod.Delete, "/api/deliveries/cancelled");

        await Http.PutAsync("/api/deliveries/east", Deliveries.Sample with { PickupTime = pickup, Deadline = null });
        Assert.Equal((2, 0), (await CountAsync(1), await CountAsync(2)));
        await Http.PatchAsync("/api/deliveries/east", new DeliveryReschedule { PickupTime = pickup.AddHours(2) });
        Assert.Equal((1, 1), (await CountAsync(1), await CountAsync(2)));
    }

    [Fact]
    public async Task Unknown_id_is_not_found()
    {
        var confirmation = Deliveries.Confirmation(_service.Time.GetUtcNow(), ConfirmationType.None);

        foreach (var path in (string[])["", "/owner", "/status", "/confirmations"])
        {
            await (await Http.SendAsync(HttpMethod.Get, $"/api/deliveries/unknown{path}")).ReadProblemAsync(
                HttpStatusCode.NotFound
            );
        }

        await (await Http.PatchAsync("/api/deliveries/unknown", new DeliveryReschedule())).ReadProblemAsync(
            HttpStatusCode.NotFound
        );
        await (await Http.SendAsync(HttpMethod.Delete, "/api/deliveries/unknown")).ReadProblemAsync(
            HttpStatusCode.NotFound
        );
        await (await Http.PostAsync("/api/deliveries/unknown/confirmations", confirmation)).ReadProblemAsync(
            HttpStatusCode.NotFound
        );
    }

    private async Task<DeliveryDetails> CreateAsync(string id = "d1") =>
        await (await Http.PutAsync($"/api/deliveries/{id}", Deliveries.Sample)).ReadAsync<DeliveryDetails>(
            HttpStatusCode.Created
        );

    private Task<DeliveryStatus> StatusAsync() => Http.GetAsync<DeliveryStatus>("/api/deliveries/d1/status");

    private async Task<int> CountAsync(int month) =>
        (
            await Http.GetAsync<DeliverySummary>($"/api/deliveries/summary?ownerId=owner-1&year=2030&month={month}")
        ).Count;
}
