using System.Globalization;
using System.Net;
using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Services.Tests.ServiceDefaults;

namespace DroneDelivery.Services.Tests.DroneScheduler;

public sealed class AssignmentTests : WithDrones
{
    [Fact]
    public async Task Assigned_drone_is_capable_and_meets_the_pickup_time()
    {
        var assignment = await Http.AssignAsync("d1", Flights.Sample);

        var drone = Assert.Single(await Http.GetAsync<DroneDetails[]>("/api/drones"), drone =>
            drone.DroneId == assignment.DroneId
        );
        var plan = assignment.FlightPlan;
        Assert.True(drone.CapacityKg >= Flights.Sample.PackageWeight && drone.RangeKm >= plan.DistanceKm);
        Assert.Equal((Flights.Sample.Pickup, Flights.Sample.Dropoff), (plan.Pickup, plan.Dropoff));
        Assert.Equal(16.35, plan.DistanceKm, tolerance: 0.01); // On a sphere with the Earth's mean radius.
        Assert.Equal(Flights.Sample.PickupTime, plan.PickupAt);
        Assert.True(plan.TakeOff < plan.PickupAt && plan.PickupAt < plan.DropoffAt && plan.DropoffAt <= plan.Landing);

        var first = new DateTimeOffset(2000, 1, 1, 0, 0, 0, TimeSpan.Zero); // The earliest valid pickup time.
        var late = await Http.AssignAsync("d2", Flights.Sample with { PickupTime = first });
        Assert.Equal((first, Service.Time.GetUtcNow()), (late.PickupTime, late.FlightPlan.TakeOff));
    }

    [Fact]
    public async Task Expedited_flies_faster_and_heavy_packages_get_larger_drones()
    {
        var usual = (await Http.AssignAsync("d1", Flights.Sample)).FlightPlan;
        var expedited = (await Http.AssignAsync("d1-expedited", Flights.Sample with { Expedited = true })).FlightPlan;

        Assert.True(expedited.DropoffAt - expedited.TakeOff < usual.DropoffAt - usual.TakeOff);
        foreach (var (weight, model) in new[] { (5, "medium"), (30, "heavy") })
        {
            var heavier = await Http.AssignAsync(model, Flights.Sample with { PackageWeight = weight });
            Assert.StartsWith(model, heavier.DroneId, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Drone_is_free_after_landing_and_a_replay_returns_the_same()
    {
        var assigned = await Http.AssignAsync("d1", Flights.Sample);
        Service.Time.Advance(assigned.FlightPlan.Landing - Service.Time.GetUtcNow() - TimeSpan.FromSeconds(1));
        Assert.Equal(1, await AssignedToAsync(assigned.DroneId));
        Service.Time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(0, await AssignedToAsync(assigned.DroneId));
        Service.Time.Jump(TimeSpan.FromDays(30));

        var replayed = await (
            await Http.PutAsync("/api/dronedeliveries/d1", Flights.Sample)
        ).ReadAsync<DroneAssignment>();

        Assert.Equal(assigned, replayed);
        Assert.Equal(assigned, await Http.GetAsync<DroneAssignment>("/api/dronedeliveries/d1"));
    }

    [Theory]
    [InlineData("utilization")]
    [InlineData("Utilization")]
    [InlineData("summary")]
    public async Task Id_that_matches_a_route_is_rejected(string id)
    {
        using var response = await Http.PutAsync($"/api/dronedeliveries/{id}", Flights.Sample);

        Assert.Equal(["id"], await response.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task Every_fleet_makes_the_same_choice_for_a_delivery()
    {
        using var otherFolder = new TemporaryFolder();
        await using var other = ServiceHost<AssignmentStore>.Start(otherFolder.SqliteSettings, time: Service.Time);

        for (var i = 0; i < 20; i++)
        {
            var here = await Http.AssignAsync($"d{i}", Flights.Sample);
            Assert.Equal(here, await other.Http.AssignAsync($"d{i}", Flights.Sample));
        }
    }

    [Fact]
    public async Task Package_that_no_drone_can_carry_is_rejected_permanently()
    {
        var capacity = (await Http.GetAsync<DroneDetails[]>("/api/drones")).Max(drone => drone.CapacityKg);
        await Http.AssignAsync("heaviest", Flights.Sample with { PackageWeight = capacity });

        using var tooHeavy = await Http.PutAsync(
            "/api/dronedeliveries/d1",
            Flights.Sample with
            {
                PackageWeight = capacity + 0.001,
            }
        );
        using var tooFar = await Http.PutAsync(
            "/api/dronedeliveries/d2",
            Flights.Sample with
            {
                Dropoff = new() { Latitude = 49.7, Longitude = -122.2 },
            }
        );

        foreach (var response in new[] { tooHeavy, tooFar })
        {
            Assert.Equal(
                "urn:drone-delivery:no-suitable-drone",
                await response.ReadProblemTypeAsync(HttpStatusCode.UnprocessableEntity)
            );
        }

        foreach (
            var (method, body) in new[] { (HttpMethod.Get, null), (HttpMethod.Patch, "{}"), (HttpMethod.Delete, null) }
        )
        {
            await (await Http.SendAsync(method, "/api/dronedeliveries/d1", body)).ReadProblemAsync(
                HttpStatusCode.NotFound
            );
        }
    }

    /// <summary>Stored rows and replicas of the previous version compare requests by this fingerprint.</summary>
    [Fact]
    public async Task Fingerprint_of_a_request_is_stable()
    {
        await Http.AssignAsync("d1", Flights.Sample);

        Assert.Equal(
            FingerprintTests.OfJson(
                """
                {"OwnerId":"owner-1","Pickup":{"Latitude":47.62,"Longitude":-122.33},"Dropoff":{"Latitude":47.7,"Longitude":-122.2},
                "PickupTime":"2030-01-15T12:00:00+00:00","PackageSize":0,"PackageWeight":1}
                """.ReplaceLineEndings("")
            ),
            await Service.Folder.ExecuteAsync("select request from assignments")
        );
    }

    [Fact]
    public async Task Changing_any_property_makes_another_request()
    {
        var assigned = await Http.AssignAsync("d1", Flights.Sample);
        var other = new DroneRequest
        {
            OwnerId = "owner-2",
            Pickup = Flights.Sample.Dropoff,
            Dropoff = Flights.Sample.Pickup,
            PickupTime = Flights.Sample.PickupTime.AddMinutes(1),
            Expedited = true,
            PackageSize = PackageSize.Large,
            PackageWeight = 2,
        };

        foreach (var member in typeof(DroneRequest).GetProperties())
        {
            var changed = Flights.Sample with { };
            Assert.NotEqual(member.GetValue(changed), member.GetValue(other));
            member.SetValue(changed, member.GetValue(other));
            using var response = await Http.PutAsync("/api/dronedeliveries/d1", changed);
            Assert.True(response.StatusCode == HttpStatusCode.Conflict, $"{member.Name}: {response.StatusCode}");
        }
        Assert.Equal(assigned, await Http.GetAsync<DroneAssignment>("/api/dronedeliveries/d1"));
    }

    [Fact]
    public async Task Reschedule_keeps_the_drone_unless_the_flight_is_too_far()
    {
        var assigned = await Http.AssignAsync("d1", Flights.Sample);
        var dropoff = new Location { Latitude = 47.65, Longitude = -122.3 };

        var change = new DroneReschedule { Dropoff = dropoff, PickupTime = Flights.Sample.PickupTime.AddHours(2) };
        var moved = await (await Http.PatchAsync("/api/dronedeliveries/d1", change)).ReadAsync<DroneAssignment>();

        Assert.Equal((assigned.DroneId, assigned.Revision + 1), (moved.DroneId, moved.Revision));
        Assert.Equal(dropoff, moved.FlightPlan.Dropoff);
        Assert.Equal(Flights.Sample.PickupTime.AddHours(2), moved.FlightPlan.PickupAt);

        var far = new DroneReschedule
        {
            Dropoff = new() { Latitude = 48.6, Longitude = -122.2 },
        };
        moved = await (await Http.PatchAsync("/api/dronedeliveries/d1", far)).ReadAsync<DroneAssignment>();
        Assert.NotEqual(assigned.DroneId, moved.DroneId);
    }

    [Fact]
    public async Task Reschedule_without_a_change_does_not_recall_a_flying_drone()
    {
        var assigned = await Http.AssignAsync(
            "d1",
            Flights.Sample with
            {
                PickupTime = Service.Time.GetUtcNow().AddDays(-1),
            }
        );
        Service.Time.Advance(TimeSpan.FromMinutes(5));

        Assert.Equal(
            assigned,
            await (await Http.PatchAsync("/api/dronedeliveries/d1", new DroneReschedule())).ReadAsync<DroneAssignment>()
        );

        var reschedule = new DroneReschedule
        {
            Dropoff = new() { Latitude = 47.65, Longitude = -122.3 },
        };
        var moved = await (await Http.PatchAsync("/api/dronedeliveries/d1", reschedule)).ReadAsync<DroneAssignment>();
        Service.Time.Advance(TimeSpan.FromMinutes(5));

        Assert.NotEqual(assigned.FlightPlan, moved.FlightPlan);
        Assert.Equal(
            moved,
            await (await Http.PatchAsync("/api/dronedeliveries/d1", reschedule)).ReadAsync<DroneAssignment>()
        );
        Assert.Equal(moved, await Http.GetAsync<DroneAssignment>("/api/dronedeliveries/d1"));
    }

    [Fact]
    public async Task Canceling_frees_the_drone_even_after_a_late_replay()
    {
        var assigned = await Http.AssignAsync("d1", Flights.Sample);
        Assert.Equal(1, await AssignedToAsync(assigned.DroneId));

        Assert.Equal(
            HttpStatusCode.NoContent,
            (await Http.SendAsync(HttpMethod.Delete, "/api/dronedeliveries/d1")).StatusCode
        );
        Assert.Equal(
            HttpStatusCode.NoContent,
            (await Http.SendAsync(HttpMethod.Delete, "/api/dronedeliveries/d1")).StatusCode
        );
        var replayed = await (
            await Http.PutAsync("/api/dronedeliveries/d1", Flights.Sample)
        ).ReadAsync<DroneAssignment>();

        Assert.True(replayed.Cancelled);
        Assert.Equal(assigned.Revision + 1, replayed.Revision);
        Assert.Equal(0, await AssignedToAsync(assigned.DroneId));
        await (await Http.PatchAsync("/api/dronedeliveries/d1", new DroneReschedule())).ReadProblemAsync(
            HttpStatusCode.Conflict
        );
    }

    [Fact]
    public async Task Utilization_sums_the_owners_flights_of_the_month()
    {
        var first = await Http.AssignAsync("d1", Flights.Sample);
        var second = await Http.AssignAsync(
            "d2",
            Flights.Sample with
            {
                PickupTime = Flights.Sample.PickupTime.AddDays(16),
            }
        ); // The 31st.
        await Http.AssignAsync(
            "other-month",
            Flights.Sample with
            {
                PickupTime = Flights.Sample.PickupTime.AddMonths(1),
            }
        );
        await Http.AssignAsync("other-owner", Flights.Sample with { OwnerId = "owner-2" });
        await Http.AssignAsync("cancelled", Flights.Sample);
        await Http.SendAsync(HttpMethod.Delete, "/api/dronedeliveries/cancelled");

        var utilization = await Http.GetAsync<DroneUtilization>(
            "/api/dronedeliveries/utilization?ownerId=owner-1&year=2030&month=1"
        );

        Assert.Equal(
            (first.FlightPlan.DistanceKm + second.FlightPlan.DistanceKm) * 0.621371,
            utilization.TraveledMiles,
            6
        );
        Assert.Equal(
            (
                first.FlightPlan.Landing
                - first.FlightPlan.TakeOff
                + (second.FlightPlan.Landing - second.FlightPlan.TakeOff)
            ).TotalHours,
            utilization.AssignedHours,
            tolerance: 0.0001
        );
    }

    [Theory]
    [InlineData("ownerId=o&year=30&month=13", "month", "year")]
    [InlineData("year=2030&month=1", "ownerId")]
    public async Task Invalid_query_is_rejected_with_its_parameters(string query, params string[] parameters)
    {
        using var response = await Http.SendAsync(HttpMethod.Get, $"/api/dronedeliveries/utilization?{query}");

        Assert.Equal(parameters, (await response.ReadInvalidFieldsAsync()).Order());
    }

    [Theory]
    [InlineData("0001-01-01T00:00:00Z")]
    [InlineData("9999-12-31T23:59:59Z")]
    public async Task Pickup_time_at_the_end_of_the_calendar_is_rejected(string time)
    {
        var request = Flights.Sample with { PickupTime = DateTimeOffset.Parse(time, CultureInfo.InvariantCulture) };
        using var assignment = await Http.PutAsync("/api/dronedeliveries/d1", request);
        await Http.AssignAsync("d2", Flights.Sample);
        using var reschedule = await Http.PatchAsync(
            "/api/dronedeliveries/d2",
            new DroneReschedule { PickupTime = request.PickupTime }
        );

        Assert.Equal(["pickupTime"], await assignment.ReadInvalidFieldsAsync());
        Assert.Equal(["pickupTime"], await reschedule.ReadInvalidFieldsAsync());
    }

    private async Task<int> AssignedToAsync(string droneId) =>
        (await Http.GetAsync<DroneDetails[]>("/api/drones")).Single(drone => drone.DroneId == droneId).Assigned;
}
