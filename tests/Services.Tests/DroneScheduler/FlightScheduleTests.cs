using System.Net;
using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler;
using static DroneDelivery.Services.Tests.Support.Interleavings;

namespace DroneDelivery.Services.Tests.DroneScheduler;

public sealed class FlightScheduleTests : WithDrones
{
    private const int Fleet = 60;

    [Fact]
    public async Task Concurrent_deliveries_use_the_whole_fleet_before_waiting()
    {
        var assignments = await Task.WhenAll(
            Enumerable.Range(0, 150).Select(i => Http.AssignAsync($"d{i}", Flights.Sample))
        );

        Assert.Equal(
            Fleet,
            assignments.Count(assignment => assignment.FlightPlan.PickupAt == Flights.Sample.PickupTime)
        );
        Assert.Equal(Fleet, assignments.Select(assignment => assignment.DroneId).Distinct().Count());
        AssertNoOverlap(assignments);
        // At most two more rounds of flights: no drone is idle while a package waits.
        var longest = assignments.Max(assignment => assignment.FlightPlan.Landing - assignment.FlightPlan.TakeOff);
        Assert.True(
            assignments.Max(assignment => assignment.FlightPlan.PickupAt) <= Flights.Sample.PickupTime + 2 * longest
        );
    }

    [Fact]
    public async Task Delivery_for_now_flies_before_those_of_next_week()
    {
        for (var i = 0; i < Fleet; i++)
        {
            await Http.AssignAsync(
                $"next-week-{i}",
                Flights.Sample with
                {
                    PickupTime = Service.Time.GetUtcNow().AddDays(7),
                }
            );
        }

        var now = await Http.AssignAsync("now", Flights.Sample with { PickupTime = Service.Time.GetUtcNow() });

        Assert.Equal(Service.Time.GetUtcNow(), now.FlightPlan.TakeOff);
    }

    [Theory]
    [InlineData("/api/dronedeliveries/d7", HttpStatusCode.OK)]
    [InlineData("/api/dronedeliveries/d7/requests/r7", HttpStatusCode.NotFound)]
    public async Task Canceled_flight_frees_its_time_for_the_next_delivery(string route, HttpStatusCode status)
    {
        var assigned = await AssignAsync(Fleet, Flights.Sample);
        Assert.True((await Http.AssignAsync("waits", Flights.Sample)).FlightPlan.PickupAt > Flights.Sample.PickupTime);

        for (var i = 0; i < 2; i++)
            Assert.Equal(HttpStatusCode.NoContent, (await Http.SendAsync(HttpMethod.Delete, route)).StatusCode);
        var next = await Http.AssignAsync("next", Flights.Sample);

        Assert.Equal((assigned[7].DroneId, Flights.Sample.PickupTime), (next.DroneId, next.FlightPlan.PickupAt));
        Assert.Equal(status, await Http.StatusAsync("/api/dronedeliveries/d7"));
        Assert.Equal(Fleet + 1, (await Http.GetAsync<DroneDetails[]>("/api/drones")).Sum(drone => drone.Assigned));
    }

    [Theory]
    [InlineData("/api/dronedeliveries/d3")]
    [InlineData("/api/dronedeliveries/d3/requests/r3")]
    public async Task Drone_canceled_in_the_air_is_available_after_its_return(string route)
    {
        var heavy = Flights.Sample with { PackageWeight = 40, PickupTime = Service.Time.GetUtcNow() };
        var assigned = await AssignAsync(20, heavy);
        var ended = assigned[3].FlightPlan;
        Service.Time.Advance(ended.PickupAt + (ended.DropoffAt - ended.PickupAt) / 2 - Service.Time.GetUtcNow());

        await Http.SendAsync(HttpMethod.Delete, route);
        var next = await Http.AssignAsync("next", heavy);

        Assert.Equal(assigned[3].DroneId, next.DroneId);
        Assert.True(next.FlightPlan.TakeOff > Service.Time.GetUtcNow() && next.FlightPlan.TakeOff < ended.Landing);
    }

    [Fact]
    public async Task After_the_pickup_only_the_dropoff_can_change()
    {
        var assigned = (await Http.AssignAsync("d1", Flights.Sample)).FlightPlan;
        Service.Time.Advance(
            assigned.PickupAt + (assigned.DropoffAt - assigned.PickupAt) / 2 - Service.Time.GetUtcNow()
        );
        var place = new Location { Latitude = 47.64, Longitude = -122.25 };

        using var pickup = await PatchAsync("d1", new DroneReschedule { Pickup = place });
        using var time = await PatchAsync(
            "d1",
            new DroneReschedule { PickupTime = Service.Time.GetUtcNow().AddHours(1), Dropoff = place }
        );
        var turned = (
            await (await PatchAsync("d1", new DroneReschedule { Dropoff = place })).ReadAsync<DroneAssignment>()
        ).FlightPlan;

        Assert.Equal(["pickup"], await pickup.ReadInvalidFieldsAsync());
        Assert.Equal(["pickupTime"], await time.ReadInvalidFieldsAsync());
        Assert.Equal(
            (assigned.TakeOff, assigned.Depot, assigned.PickupAt, place),
            (turned.TakeOff, turned.Depot, turned.PickupAt, turned.Dropoff)
        );
        Assert.Equal(Service.Time.GetUtcNow(), turned.Turn!.Time);
        Assert.Equal((assigned.Pickup.Latitude + assigned.Dropoff.Latitude) / 2, turned.Turn.Place.Latitude, 5);
        Assert.True(turned.DropoffAt > Service.Time.GetUtcNow() && turned.DropoffAt < assigned.DropoffAt);
    }

    [Fact]
    public async Task Drone_on_its_way_to_the_pickup_turns_to_the_new_one()
    {
        var assigned = (await Http.AssignAsync("d1", Flights.Sample)).FlightPlan;
        Service.Time.Advance(assigned.TakeOff + (assigned.PickupAt - assigned.TakeOff) / 2 - Service.Time.GetUtcNow());
        var later = new DroneReschedule
        {
            Pickup = new() { Latitude = 47.64, Longitude = -122.25 },
            PickupTime = Flights.Sample.PickupTime.AddHours(1),
        };

        var turned = (await (await PatchAsync("d1", later)).ReadAsync<DroneAssignment>()).FlightPlan;

        Assert.Equal(
            (assigned.TakeOff, later.Pickup, later.PickupTime),
            (turned.TakeOff, turned.Pickup, turned.PickupAt)
        );
        Assert.Equal(turned, (await (await PatchAsync("d1", later)).ReadAsync<DroneAssignment>()).FlightPlan);
    }

    [Fact]
    public async Task Drone_in_the_air_cannot_turn_if_it_misses_its_next_flight()
    {
        var heavy = Flights.Sample with { PackageWeight = 40 };
        var assigned = await AssignAsync(40, heavy);
        Service.Time.Advance(assigned[0].FlightPlan.PickupAt - Service.Time.GetUtcNow() + TimeSpan.FromMinutes(1));

        using var farther = await PatchAsync(
            "d0",
            new DroneReschedule { Dropoff = Flights.Sample.Dropoff with { Latitude = 47.9 } }
        );

        Assert.Equal(
            "urn:drone-delivery:drone-needed",
            await farther.ReadProblemTypeAsync(HttpStatusCode.UnprocessableEntity)
        );
        Assert.Equal(assigned[0], await Http.GetAsync<DroneAssignment>("/api/dronedeliveries/d0"));
        AssertNoOverlap(assigned);
    }

    [Fact]
    public async Task Drone_in_the_air_cannot_turn_beyond_its_range()
    {
        var assigned = await Http.AssignAsync("d1", Flights.Sample);
        Service.Time.Advance(assigned.FlightPlan.PickupAt - Service.Time.GetUtcNow() + TimeSpan.FromMinutes(1));

        using var tooFar = await PatchAsync(
            "d1",
            new DroneReschedule { Dropoff = Flights.Sample.Dropoff with { Latitude = 48.1 } }
        );

        Assert.Equal(
            "urn:drone-delivery:no-suitable-drone",
            await tooFar.ReadProblemTypeAsync(HttpStatusCode.UnprocessableEntity)
        );
        Assert.Equal(assigned, await Http.GetAsync<DroneAssignment>("/api/dronedeliveries/d1"));
    }

    [Fact]
    public async Task Reschedule_that_no_drone_can_fly_keeps_the_flight()
    {
        var heavy = Flights.Sample with { PackageWeight = 40 };
        var assigned = await AssignAsync(20, heavy);

        using var tooFar = await PatchAsync(
            "d0",
            new DroneReschedule
            {
                Dropoff = new() { Latitude = 50.6, Longitude = -122.2 },
            }
        );
        assigned.Add(await Http.AssignAsync("next", heavy));

        await tooFar.ReadProblemAsync(HttpStatusCode.UnprocessableEntity);
        Assert.Equal(assigned[0], await Http.GetAsync<DroneAssignment>("/api/dronedeliveries/d0"));
        AssertNoOverlap(assigned);
    }

    [Fact]
    public async Task Delivery_cannot_be_rescheduled_after_the_dropoff()
    {
        // Far from a depot, so that the drone is still in the air afterward.
        var assigned = await Http.AssignAsync(
            "d1",
            Flights.Sample with
            {
                Dropoff = new() { Latitude = 47.64, Longitude = -122.25 },
            }
        );
        Assert.True(assigned.FlightPlan.DropoffAt < assigned.FlightPlan.Landing);
        Service.Time.Advance(assigned.FlightPlan.DropoffAt - Service.Time.GetUtcNow());

        using var response = await PatchAsync("d1", new DroneReschedule { Dropoff = Flights.Sample.Pickup });

        await response.ReadProblemAsync(HttpStatusCode.Conflict);
    }

    [Fact]
    public async Task Equal_drones_fly_in_order_of_their_idle_time()
    {
        var flown = new HashSet<string>();
        for (var i = 0; i < 20; i++)
        {
            var now = Flights.Sample with { PackageWeight = 40, PickupTime = Service.Time.GetUtcNow() };
            var assigned = await Http.AssignAsync($"d{i}", now);
            Assert.True(flown.Add(assigned.DroneId), $"{assigned.DroneId} was assigned again before others.");
            Service.Time.Advance(assigned.FlightPlan.Landing - Service.Time.GetUtcNow() + TimeSpan.FromMinutes(1));
        }
    }

    [Fact]
    public async Task Flights_of_a_store_without_free_times_are_respected()
    {
        var heavy = Flights.Sample with { PackageWeight = 40 };
        var assigned = await AssignAsync(20, heavy);
        await Http.SendAsync(HttpMethod.Delete, "/api/dronedeliveries/d7");
        await ForgetFreeTimesAsync();

        await using var newer = ServiceHost<AssignmentStore>.Start(Service.Settings, time: Service.Time);
        var next = new List<DroneAssignment>();
        for (var i = 0; i < 20; i++)
            next.Add(await newer.Http.AssignAsync($"next-{i}", heavy));

        Assert.Equal((assigned[7].DroneId, heavy.PickupTime), (next[0].DroneId, next[0].FlightPlan.PickupAt));
        AssertNoOverlap([.. assigned.Where(flight => flight.DeliveryId != "d7"), .. next]);
    }

    [Fact]
    public async Task Last_days_of_the_calendar_accept_many_flights()
    {
        var last = Flights.Sample with { PickupTime = new(9998, 12, 31, 23, 59, 59, TimeSpan.Zero) };

        AssertNoOverlap(
            await Task.WhenAll(Enumerable.Range(0, 2 * Fleet + 1).Select(i => Http.AssignAsync($"d{i}", last)))
        );
    }

    [Theory]
    [InlineData(1, 2)]
    [InlineData(2, 1)]
    public async Task Reschedule_accepted_last_wins_in_any_order(int first, int second)
    {
        await Http.AssignAsync("d1", Flights.Sample);
        DroneReschedule Accepted(int hour) =>
            new()
            {
                Pickup = Flights.Sample.Pickup with { Latitude = 47.62 + hour * 0.01 },
                Dropoff = Flights.Sample.Dropoff with { Latitude = 47.70 + hour * 0.01 },
                PickupTime = Flights.Sample.PickupTime.AddHours(hour),
                AcceptedAt = Service.Time.GetUtcNow().AddHours(hour),
            };

        await (await PatchAsync("d1", Accepted(first))).ReadAsync<DroneAssignment>();
        var moved = await (await PatchAsync("d1", Accepted(second))).ReadAsync<DroneAssignment>();
        // A reschedule without an acceptance time keeps the earlier acceptance time.
        await PatchAsync("d1", new DroneReschedule { PickupTime = Flights.Sample.PickupTime });
        var stays = await (await PatchAsync("d1", Accepted(1))).ReadAsync<DroneAssignment>();

        var (later, plan) = (Accepted(2), moved.FlightPlan);
        Assert.Equal((later.Pickup, later.Dropoff, later.PickupTime), (plan.Pickup, plan.Dropoff, moved.PickupTime));
        Assert.Equal(Flights.Sample.PickupTime, stays.PickupTime);
    }

    [Fact]
    public async Task Reschedules_of_different_properties_are_combined()
    {
        await Http.AssignAsync("d1", Flights.Sample);
        var (place, accepted) = (new Location { Latitude = 47.65, Longitude = -122.3 }, Service.Time.GetUtcNow());

        await PatchAsync(
            "d1",
            new DroneReschedule { PickupTime = Flights.Sample.PickupTime, AcceptedAt = accepted.AddSeconds(3) }
        );
        await PatchAsync("d1", new DroneReschedule { Pickup = place, AcceptedAt = accepted.AddSeconds(2) });
        var oldest = new DroneReschedule
        {
            PickupTime = Flights.Sample.PickupTime.AddHours(1),
            Dropoff = place,
            AcceptedAt = accepted,
        };
        var assignment = await (await PatchAsync("d1", oldest)).ReadAsync<DroneAssignment>();

        Assert.Equal(
            (Flights.Sample.PickupTime, place, place),
            (assignment.PickupTime, assignment.FlightPlan.Dropoff, assignment.FlightPlan.Pickup)
        );
    }

    [Fact]
    public async Task Distance_of_a_rerouted_flight_matches_its_duration()
    {
        var assigned = await Http.AssignAsync(
            "d1",
            Flights.Sample with
            {
                PackageWeight = 40,
                PickupTime = Service.Time.GetUtcNow(),
            }
        );
        var speed = (await Http.GetAsync<DroneDetails[]>("/api/drones"))
            .Single(drone => drone.DroneId == assigned.DroneId)
            .SpeedKmh;
        Service.Time.Advance((assigned.FlightPlan.PickupAt - assigned.FlightPlan.TakeOff) / 2);

        var change = new DroneReschedule
        {
            Pickup = new() { Latitude = 47.9, Longitude = -122.3 },
            Dropoff = new() { Latitude = 47.5, Longitude = -122.0 },
        };
        var turned = (await (await PatchAsync("d1", change)).ReadAsync<DroneAssignment>()).FlightPlan;
        Assert.Equal((turned.Landing - turned.TakeOff).TotalHours * speed, turned.DistanceKm, tolerance: 0.05);

        Service.Time.Advance(turned.PickupAt + (turned.DropoffAt - turned.PickupAt) / 2 - Service.Time.GetUtcNow());
        var back = new DroneReschedule { Dropoff = Flights.Sample.Dropoff };
        turned = (await (await PatchAsync("d1", back)).ReadAsync<DroneAssignment>()).FlightPlan;
        Assert.Equal((turned.Landing - turned.TakeOff).TotalHours * speed, turned.DistanceKm, tolerance: 0.05);
    }

    [Fact]
    public async Task Concurrent_requests_never_double_book_a_drone()
    {
        await using var other = ServiceHost<AssignmentStore>.Start(Service.Settings, time: Service.Time);

        await new Interleavings([Http, other.Http], Service.Time, "d", seed: 2).NeverOverlapAsync();
    }

    private async Task<List<DroneAssignment>> AssignAsync(int count, DroneRequest request)
    {
        var assigned = new List<DroneAssignment>();
        for (var i = 0; i < count; i++)
            assigned.Add(await Http.AssignAsync($"d{i}?for=r{i}&attempt=0", request));
        return assigned;
    }

    /// <summary>Simulates a database from before migrations and before free times were stored.</summary>
    private Task<object?> ForgetFreeTimesAsync() =>
        Service.Folder.ExecuteAsync(
            """
            drop table free_times; drop table schema_migrations; drop table failed_drone_requests; drop index assignments_of_landing;
            alter table assignments drop column made_for; alter table assignments drop column attempt
            """
        );

    private Task<HttpResponseMessage> PatchAsync(string id, DroneReschedule reschedule) =>
        Http.PatchAsync($"/api/dronedeliveries/{id}", reschedule);
}
