using System.Globalization;
using System.Net;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Delivery;

/// <summary>
/// The clock starts at 08:00. The sample takes off at 12:00, picks up at 12:10, and arrives at 12:30.
/// </summary>
public sealed class StatusTests : IAsyncLifetime
{
    private DeliveryUnderTest _service = null!;

    public async ValueTask InitializeAsync() => _service = await DeliveryUnderTest.StartAsync();

    public ValueTask DisposeAsync() => _service is null ? default : _service.DisposeAsync();

    [Fact]
    public async Task Stage_and_position_follow_the_flight_plan()
    {
        await CreateAsync(Deliveries.Sample);

        foreach (
            var (time, stage, latitude, longitude) in new[]
            {
                ("11:59:59", DeliveryStage.Created, 47.6, -122.3),
                ("12:00:00", DeliveryStage.HeadedToPickup, 47.6, -122.3),
                ("12:05:00", DeliveryStage.HeadedToPickup, 47.65, -122.35),
                ("12:10:00", DeliveryStage.HeadedToDropoff, 47.7, -122.4),
                ("12:20:00", DeliveryStage.HeadedToDropoff, 47.8, -122.2),
                ("12:30:00", DeliveryStage.Completed, 47.9, -122.0),
                ("20:00:00", DeliveryStage.Completed, 47.9, -122.0),
            }
        )
        {
            var status = await StatusAtAsync(time);
            Assert.Equal((stage, "owner-1"), (status.Stage, status.OwnerId));
            Assert.Equal((latitude, longitude), PlaceOf(status));
            Assert.Equal(
                (Deliveries.Sample.FlightPlan.PickupAt, Deliveries.Sample.FlightPlan.DropoffAt),
                (status.PickupEta!.Value, status.DeliveryEta!.Value)
            );
        }
    }

    [Fact]
    public async Task Status_contains_the_acceptance_time()
    {
        var accepted = Deliveries.Sample.PickupTime.AddDays(-1);
        await CreateAsync(Deliveries.Sample with { AcceptedAt = accepted });

        Assert.Equal(accepted, (await StatusAtAsync("08:00:00")).AcceptedAt);
    }

    [Fact]
    public async Task Rescheduled_stage_lasts_until_takeoff()
    {
        await CreateAsync(Deliveries.Sample);
        await _service.Http.PatchAsync(
            "/api/deliveries/d1",
            new DeliveryReschedule
            {
                FlightPlan = Deliveries.Sample.FlightPlan.LaterBy(TimeSpan.FromHours(1)),
                DroneId = "light-02",
            }
        );

        Assert.Equal(DeliveryStage.Rescheduled, (await StatusAtAsync("12:30:00")).Stage);
        Assert.Equal(DeliveryStage.HeadedToPickup, (await StatusAtAsync("13:05:00")).Stage);
        Assert.Equal("light-02", (await _service.Http.GetAsync<DeliveryDetails>("/api/deliveries/d1")).DroneId);
    }

    [Fact]
    public async Task Status_contains_the_newest_hundred_events()
    {
        await CreateAsync(Deliveries.Sample);
        for (var i = 1; i <= 101; i++)
        {
            var moved = new DeliveryReschedule { Deadline = Deliveries.Sample.Deadline!.Value.AddMinutes(i) };
            (await _service.Http.PatchAsync("/api/deliveries/d1", moved)).EnsureSuccessStatusCode();
        }
        await _service.Http.SendAsync(HttpMethod.Delete, "/api/deliveries/d1");

        var events = (await StatusAtAsync("08:00:00")).Events;

        Assert.Equal(
            (100, DeliveryStage.Rescheduled, DeliveryStage.Cancelled),
            (events.Count, events[0].Stage, events[^1].Stage)
        );
    }

    [Fact]
    public async Task Rerouted_drone_continues_from_its_position()
    {
        await CreateAsync(Deliveries.Sample);
        var plan = Deliveries.Sample.FlightPlan with
        {
            Dropoff = new() { Latitude = 47.7, Longitude = -122.3 },
            DropoffAt = Deliveries.Sample.FlightPlan.TakeOff.AddMinutes(45),
            Turn = new()
            {
                Place = new() { Latitude = 47.8, Longitude = -122.2 },
                Time = Deliveries.Sample.FlightPlan.TakeOff.AddMinutes(25),
            },
        };
        await _service.Http.PatchAsync(
            "/api/deliveries/d1",
            new DeliveryReschedule { FlightPlan = plan, Dropoff = plan.Dropoff }
        );

        Assert.Equal((47.8, -122.2), PlaceOf(await StatusAtAsync("12:25:00")));
        Assert.Equal((47.75, -122.25), PlaceOf(await StatusAtAsync("12:35:00")));
        Assert.Equal((47.7, -122.3), PlaceOf(await StatusAtAsync("12:45:00")));
    }

    [Fact]
    public async Task Turn_before_the_pickup_does_not_affect_the_rest_of_the_route()
    {
        var (place, takeOff) = (
            new Location { Latitude = 47.5, Longitude = -122.5 },
            Deliveries.Sample.FlightPlan.TakeOff
        );
        var plan = Deliveries.Sample.FlightPlan with
        {
            Turn = new() { Place = place, Time = takeOff.AddMinutes(5) },
        };
        await CreateAsync(Deliveries.Sample with { FlightPlan = plan });

        Assert.Equal((47.5, -122.5), PlaceOf(await StatusAtAsync("12:05:00")));
        Assert.Equal((47.8, -122.2), PlaceOf(await StatusAtAsync("12:20:00")));
    }

    [Fact]
    public async Task Canceled_delivery_is_readable_but_cannot_be_changed()
    {
        var delivery = Deliveries.Sample with { ConfirmationRequired = ConfirmationType.Voice };
        await CreateAsync(delivery);
        await StatusAtAsync("12:20:00");
        for (var i = 0; i < 2; i++)
        {
            Assert.Equal(
                HttpStatusCode.NoContent,
                (await _service.Http.SendAsync(HttpMethod.Delete, "/api/deliveries/d1")).StatusCode
            );
        }

        using var confirmed = await _service.Http.PostAsync(
            "/api/deliveries/d1/confirmations",
            Deliveries.Confirmation(_service.Time.GetUtcNow(), ConfirmationType.Voice)
        );

        await confirmed.ReadProblemAsync(HttpStatusCode.Conflict);
        await (await _service.Http.PatchAsync("/api/deliveries/d1", new DeliveryReschedule())).ReadProblemAsync(
            HttpStatusCode.Conflict
        );
        await (await _service.Http.PutAsync("/api/deliveries/d1", delivery)).ReadAsync<DeliveryDetails>(); // A replay.
        var status = await StatusAtAsync("13:00:00");
        Assert.Equal([DeliveryStage.Created, DeliveryStage.Cancelled], status.Events.Select(what => what.Stage));
        Assert.Equal(DeliveryStage.Cancelled, status.Stage);
        Assert.Equal(47.8, status.LastKnownLocation!.Latitude, 9);
        Assert.Equal(HttpStatusCode.NotFound, await _service.Http.StatusAsync("/api/deliveries/d1/confirmations"));
    }

    [Theory]
    [InlineData(179.9, -179.9)]
    [InlineData(-179.9, 179.9)]
    public async Task Flight_across_the_180th_meridian_takes_the_short_way(double depot, double pickup)
    {
        Location At(double degrees) => new() { Latitude = 47.6, Longitude = degrees };
        var plan = Deliveries.Sample.FlightPlan with { Depot = At(depot), Pickup = At(pickup), Dropoff = At(pickup) };
        await CreateAsync(Deliveries.Sample with { Pickup = At(pickup), Dropoff = At(pickup), FlightPlan = plan });

        Assert.Equal(depot + Math.Sign(depot) * 0.05, PlaceOf(await StatusAtAsync("12:02:30")).Longitude, 9);
        Assert.Equal(pickup + Math.Sign(pickup) * 0.05, PlaceOf(await StatusAtAsync("12:07:30")).Longitude, 9);
    }

    [Fact]
    public async Task Delivery_completes_only_with_its_required_confirmation()
    {
        await CreateAsync(Deliveries.Sample with { ConfirmationRequired = ConfirmationType.FingerPrint });
        await StatusAtAsync("11:59:59");
        var confirmation = Deliveries.Confirmation(
            Deliveries.Sample.FlightPlan.TakeOff,
            ConfirmationType.FingerPrint
        ) with
        {
            ConfirmationBlob = "print",
        };
        using var early = await _service.Http.PostAsync("/api/deliveries/d1/confirmations", confirmation);
        Assert.Equal("urn:drone-delivery:not-taken-off", await early.ReadProblemTypeAsync(HttpStatusCode.Conflict));
        Assert.Equal(DeliveryStage.HeadedToDropoff, (await StatusAtAsync("12:45:00")).Stage);
        using var wrong = await _service.Http.PostAsync(
            "/api/deliveries/d1/confirmations",
            confirmation with
            {
                ConfirmationType = ConfirmationType.Voice,
            }
        );
        using var right = await _service.Http.PostAsync("/api/deliveries/d1/confirmations", confirmation);
        using var again = await _service.Http.PostAsync(
            "/api/deliveries/d1/confirmations",
            confirmation with
            {
                ConfirmationBlob = "another print",
            }
        );
        using var wrongAgain = await _service.Http.PostAsync(
            "/api/deliveries/d1/confirmations",
            confirmation with
            {
                ConfirmationType = ConfirmationType.Voice,
            }
        );

        Assert.Equal(["confirmationType"], await wrong.ReadInvalidFieldsAsync());
        Assert.Equal(["confirmationType"], await wrongAgain.ReadInvalidFieldsAsync());
        Assert.Equal(HttpStatusCode.OK, right.StatusCode);
        Assert.Equal("urn:drone-delivery:over", await again.ReadProblemTypeAsync(HttpStatusCode.Conflict));
        var status = await StatusAtAsync("12:46:00");
        Assert.Equal(DeliveryStage.Completed, status.Stage);
        Assert.Equal([DeliveryStage.Created, DeliveryStage.Completed], status.Events.Select(what => what.Stage));
        Assert.Equal(
            confirmation,
            await _service.Http.GetAsync<DeliveryConfirmation>("/api/deliveries/d1/confirmations")
        );
        await (await _service.Http.SendAsync(HttpMethod.Delete, "/api/deliveries/d1")).ReadProblemAsync(
            HttpStatusCode.Conflict
        );
        await (await _service.Http.PatchAsync("/api/deliveries/d1", new DeliveryReschedule())).ReadProblemAsync(
            HttpStatusCode.Conflict
        );
    }

    [Fact]
    public async Task Delivery_stays_open_when_its_confirmation_is_not_stored()
    {
        await CreateAsync(Deliveries.Sample with { ConfirmationRequired = ConfirmationType.Voice });
        await StatusAtAsync("12:45:00");
        var confirmation = Deliveries.Confirmation(_service.Time.GetUtcNow(), ConfirmationType.Voice);
        await _service.RedisAsync("ACL SETUSER default resetkeys ~delivery:d1 ~delivery:d1:events ~owner:*");

        using var refused = await _service.Http.PostAsync("/api/deliveries/d1/confirmations", confirmation);
        var stage = (await StatusAtAsync("12:45:00")).Stage;
        await _service.RedisAsync("ACL SETUSER default allkeys");
        using var stored = await _service.Http.PostAsync("/api/deliveries/d1/confirmations", confirmation);

        Assert.Equal((false, DeliveryStage.HeadedToDropoff), (refused.IsSuccessStatusCode, stage));
        Assert.Equal(HttpStatusCode.OK, stored.StatusCode);
        Assert.Equal(
            confirmation,
            await _service.Http.GetAsync<DeliveryConfirmation>("/api/deliveries/d1/confirmations")
        );
    }

    [Theory]
    [InlineData("0001-01-01T00:00:00Z", 47.9, -122.0, "time")]
    [InlineData("2030-01-01T11:59:59Z", 47.9, -122.0, "time")]
    [InlineData("2040-01-01T12:30:01Z", 47.9, -122.0, "time")]
    [InlineData("9998-01-01T12:30:00Z", 47.9, -122.0, "time")]
    [InlineData("2030-01-01T12:30:00Z", -80.0, -122.0, "geoCoordinates")]
    [InlineData("2030-01-01T12:30:00Z", 48.01, -122.0, "geoCoordinates")]
    [InlineData("2030-01-01T12:30:00Z", 47.9, 122.0, "geoCoordinates")]
    [InlineData("2030-01-01T12:30:00Z", 47.95, -122.1, null)]
    public async Task Confirmation_requires_time_and_place_of_the_flight(
        string time,
        double latitude,
        double longitude,
        string? mistake
    )
    {
        await CreateAsync(Deliveries.Sample);
        await StatusAtAsync("12:30:00");

        using var confirmed = await _service.Http.PostAsync(
            "/api/deliveries/d1/confirmations",
            new DeliveryConfirmation
            {
                Time = DateTimeOffset.Parse(time, CultureInfo.InvariantCulture),
                GeoCoordinates = new() { Latitude = latitude, Longitude = longitude },
                ConfirmationType = ConfirmationType.None,
            }
        );

        if (mistake is null)
            Assert.Equal(HttpStatusCode.OK, confirmed.StatusCode);
        else
            Assert.Equal([mistake], await confirmed.ReadInvalidFieldsAsync());
    }

    private static (double Latitude, double Longitude) PlaceOf(DeliveryStatus status) =>
        (Math.Round(status.LastKnownLocation!.Latitude, 9), Math.Round(status.LastKnownLocation.Longitude, 9));

    private async Task CreateAsync(DeliveryUpsert delivery) =>
        await (await _service.Http.PutAsync("/api/deliveries/d1", delivery)).ReadAsync<DeliveryDetails>(
            HttpStatusCode.Created
        );

    private Task<DeliveryStatus> StatusAtAsync(string time)
    {
        var at =
            new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero) + TimeSpan.Parse(time, CultureInfo.InvariantCulture);
        _service.Time.Advance(at - _service.Time.GetUtcNow());
        return _service.Http.GetAsync<DeliveryStatus>("/api/deliveries/d1/status");
    }
}
