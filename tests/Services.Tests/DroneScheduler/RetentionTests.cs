using System.Collections.Concurrent;
using System.Net;
using System.Text.RegularExpressions;
using Dapper;
using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler;
using DroneDelivery.DroneScheduler.Fleet;
using DroneDelivery.Testing;
using Microsoft.Data.Sqlite;

namespace DroneDelivery.Services.Tests.DroneScheduler;

public sealed partial class RetentionTests : WithFolder
{
    private static readonly string[] Queries = [FleetStore.CountAssigned, AssignmentStore.Purge];

    private readonly NotingTime _time = new();

    private Dictionary<string, string?> Settings => Folder.SqliteSettings.And("Retention:Interval", "00:01:00");

    [Fact]
    public async Task Flight_and_tombstone_are_kept_for_90_days_after_the_landing()
    {
        await using var service = ServiceHost<AssignmentStore>.Start(Settings, time: _time);
        await AssignAsync(service.Http, "older", _time.GetUtcNow());
        _time.Jump(TimeSpan.FromDays(2));
        var flown = await AssignAsync(service.Http, "flown", _time.GetUtcNow());
        await AssignAsync(service.Http, "cancelled", _time.GetUtcNow());
        await service.Http.SendAsync(HttpMethod.Delete, "/api/dronedeliveries/cancelled");
        await service.Http.SendAsync(HttpMethod.Delete, "/api/dronedeliveries/failed/requests/r1");
        await AssignAsync(service.Http, "later", _time.GetUtcNow().AddYears(1));

        _time.Jump(flown.FlightPlan.Landing - _time.GetUtcNow() + TimeSpan.FromDays(89));
        await EventuallyGoneAsync(service.Http, "older");
        Assert.Equal(["flown", "cancelled", "later"], await KeptAsync(service.Http, "flown", "cancelled", "later"));
        Assert.Equal(1L, await MarksAsync());

        _time.Jump(TimeSpan.FromDays(1));
        await EventuallyGoneAsync(service.Http, "flown");
        Assert.Equal(["later"], await KeptAsync(service.Http, "cancelled", "later"));
        await Eventually.TrueAsync(async () =>
        {
            _time.Advance(TimeSpan.FromMinutes(1));
            return await MarksAsync() is 0L;
        });

        Task<object?> MarksAsync() => Folder.ExecuteAsync("select count(*) from failed_drone_requests");
    }

    [Fact]
    public async Task Purge_follows_its_options_and_survives_a_failed_round()
    {
        await using var service = ServiceHost<AssignmentStore>.Start(
            Folder.SqliteSettings.And(
                new()
                {
                    ["Retention:Period"] = "20.00:00:00",
                    ["Retention:Interval"] = "00:01:01",
                    ["Retention:BatchSize"] = "2",
                }
            ),
            time: _time
        );
        for (var i = 0; i < 5; i++)
            await AssignAsync(service.Http, $"d{i}", _time.GetUtcNow());
        await Folder.ExecuteAsync(
            "create trigger keep before delete on assignments when old.delivery_id = 'd3' begin select raise(abort, 'kept'); end"
        );

        _time.Jump(TimeSpan.FromDays(21));
        await EventuallyGoneAsync(service.Http, "d1");
        Assert.Contains(TimeSpan.FromSeconds(61), _time.Periods);
        await Eventually.TrueAsync(() => service.Logs.With("kept").Any());
        Assert.Equal(["d2", "d3", "d4"], await KeptAsync(service.Http, "d0", "d1", "d2", "d3", "d4"));

        await Folder.ExecuteAsync("drop trigger keep");
        await EventuallyGoneAsync(service.Http, "d4");
        Assert.Empty(await KeptAsync(service.Http, "d0", "d1", "d2", "d3", "d4"));
        // One round of two batches.
        await Eventually.TrueAsync(() => service.Logs.With("3 assignments").Any());
        await service.Http.ReadyAsync();
    }

    [Fact]
    public async Task Purge_and_count_of_busy_drones_use_an_index()
    {
        await using var service = ServiceHost<AssignmentStore>.Start(Settings, time: _time);
        await AssignAsync(service.Http, "d1", _time.GetUtcNow());

        foreach (var query in Queries)
        {
            await using var connection = new SqliteConnection(Settings["Database:ConnectionString"]);
            var plan = await connection.QueryAsync("explain query plan " + Parameter().Replace(query, "1"));
            Assert.Contains(plan, step =>
                ((string)step.detail).Contains("assignments_of_landing", StringComparison.Ordinal)
            );
        }
    }

    private static Task<DroneAssignment> AssignAsync(HttpClient http, string id, DateTimeOffset pickup) =>
        http.AssignAsync(id, Flights.Sample with { PickupTime = pickup });

    private static async Task<IEnumerable<string>> KeptAsync(HttpClient http, params string[] ids)
    {
        var kept = new List<string>();
        foreach (var id in ids)
        {
            if (await http.StatusAsync($"/api/dronedeliveries/{id}") == HttpStatusCode.OK)
                kept.Add(id);
        }
        return kept;
    }

    /// <summary>The service may start its timer after the test advances the clock.</summary>
    private Task EventuallyGoneAsync(HttpClient http, string id) =>
        Eventually.TrueAsync(async () =>
        {
            _time.Advance(TimeSpan.FromMinutes(1));
            return !(await KeptAsync(http, id)).Any();
        });

    [GeneratedRegex(@"@\w+")]
    private static partial Regex Parameter();

    private sealed class NotingTime() : ManualTimeProvider(new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero))
    {
        public ConcurrentQueue<TimeSpan> Periods { get; } = new();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            Periods.Enqueue(period);
            return base.CreateTimer(callback, state, dueTime, period);
        }
    }
}
