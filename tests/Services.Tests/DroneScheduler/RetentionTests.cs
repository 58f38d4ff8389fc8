using System.Collections.Concurrent;
using System.Net;
using System.Text.RegularExpressions;
using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler;
using DroneDelivery.DroneScheduler.Fleet;
using DroneDelivery.Testing;
using Microsoft.Data.Sqlite;

namespace DroneDelivery.Services.Tests.DroneScheduler;

/// <summary>How long flights of the past are kept.</summary>
public sealed partial class RetentionTests : IDisposable
{
    private static readonly string[] Queries = [FleetStore.CountAssigned, AssignmentStore.Purge];

    private readonly TemporaryFolder _folder = new();
    private readonly ManualTimeProvider _time = new(new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero));

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    private Dictionary<string, string?> Settings => _folder.SqliteSettings.And("Retention:Interval", "00:01:00");

    [Fact]
    public async Task A_flight_is_kept_for_90_days_after_its_landing_flown_or_cancelled_and_no_longer()
    {
        await using var service = ServiceHost<AssignmentStore>.Start(Settings, time: _time);
        using var http = service.CreateClient();
        await AssignAsync(http, "older", _time.GetUtcNow());
        _time.Jump(TimeSpan.FromDays(2));
        var flown = await AssignAsync(http, "flown", _time.GetUtcNow());
        await AssignAsync(http, "cancelled", _time.GetUtcNow());
        await http.SendAsync(HttpMethod.Delete, "/api/dronedeliveries/cancelled");
        await AssignAsync(http, "later", _time.GetUtcNow().AddYears(1));

        _time.Jump(flown.FlightPlan.Landing - _time.GetUtcNow() + TimeSpan.FromDays(89));
        await EventuallyGoneAsync(http, "older");
        Assert.Equal(["flown", "cancelled", "later"], await KeptAsync(http, "flown", "cancelled", "later"));

        _time.Jump(TimeSpan.FromDays(1));
        await EventuallyGoneAsync(http, "flown");
        Assert.Equal(["later"], await KeptAsync(http, "cancelled", "later"));
    }

    [Fact]
    public async Task The_options_say_for_how_long_and_how_often()
    {
        var timers = new TimersOf(_time);
        await using var service = ServiceHost<AssignmentStore>.Start(
            Settings.And("Retention:Period", "20.00:00:00").And("Retention:Interval", "00:02:03"), time: timers);
        using var http = service.CreateClient();
        await AssignAsync(http, "d1", _time.GetUtcNow());
        await Eventually.TrueAsync(() => timers.Periods.Contains(new TimeSpan(0, 2, 3)));

        _time.Jump(TimeSpan.FromDays(21));
        await EventuallyGoneAsync(http, "d1");
    }

    [Fact]
    public async Task They_go_some_at_a_time_and_a_round_that_fails_is_logged_and_does_not_end_the_service()
    {
        await using var service = ServiceHost<AssignmentStore>.Start(Settings.And("Retention:BatchSize", "2"), time: _time);
        using var http = service.CreateClient();
        for (var i = 0; i < 5; i++)
            await AssignAsync(http, $"d{i}", _time.GetUtcNow());
        await _folder.ExecuteAsync(
            "create trigger keep before delete on assignments when old.delivery_id = 'd3' begin select raise(abort, 'kept'); end");

        _time.Jump(TimeSpan.FromDays(100));
        await EventuallyGoneAsync(http, "d1");
        await Eventually.TrueAsync(() => service.Logs.Lines.Any(line => line.Contains("kept", StringComparison.Ordinal)));
        Assert.Equal(["d2", "d3", "d4"], await KeptAsync(http, "d0", "d1", "d2", "d3", "d4"));

        await _folder.ExecuteAsync("drop trigger keep");
        await EventuallyGoneAsync(http, "d4");
        Assert.Empty(await KeptAsync(http, "d0", "d1", "d2", "d3", "d4"));
        // One round, of two batches.
        await Eventually.TrueAsync(() => service.Logs.Lines.Any(line => line.Contains("3 assignments", StringComparison.Ordinal)));
        await http.ReadyAsync();
    }

    [Fact]
    public async Task The_mark_of_a_failed_request_is_kept_as_long_and_no_longer()
    {
        await using var service = ServiceHost<AssignmentStore>.Start(Settings, time: _time);
        using var http = service.CreateClient();
        await AssignAsync(http, "older", _time.GetUtcNow());
        _time.Jump(TimeSpan.FromDays(2));
        await http.SendAsync(HttpMethod.Delete, "/api/dronedeliveries/d1/requests/r1");

        _time.Jump(TimeSpan.FromDays(88));
        await EventuallyGoneAsync(http, "older");
        Assert.Equal(1L, await MarksAsync());

        _time.Jump(TimeSpan.FromDays(2));
        await Eventually.TrueAsync(async () =>
        {
            _time.Advance(TimeSpan.FromMinutes(1));
            return await MarksAsync() is 0L;
        });

        async Task<object?> MarksAsync() => await _folder.ExecuteAsync("select count(*) from failed_drone_requests");
    }

    [Fact]
    public async Task The_purge_and_the_count_of_busy_drones_find_their_rows_by_an_index()
    {
        await using var service = ServiceHost<AssignmentStore>.Start(Settings, time: _time);
        using var http = service.CreateClient();
        await AssignAsync(http, "d1", _time.GetUtcNow());

        foreach (var query in Queries)
        {
            var plan = new List<string>();
            await using var connection = new SqliteConnection(Settings["Database:ConnectionString"]);
            await connection.OpenAsync(Cancelled);
            await using var command = connection.CreateCommand();
            command.CommandText = "explain query plan " + Parameter().Replace(query, "1");
            await using var rows = await command.ExecuteReaderAsync(Cancelled);
            while (await rows.ReadAsync(Cancelled))
                plan.Add(rows.GetString(3));
            Assert.Contains(plan, step => step.Contains("assignments_of_landing", StringComparison.Ordinal));
        }
    }

    public void Dispose() => _folder.Dispose();

    private static async Task<DroneAssignment> AssignAsync(HttpClient http, string id, DateTimeOffset pickup)
    {
        using var response = await http.PutAsync($"/api/dronedeliveries/{id}", Flights.Sample with { PickupTime = pickup });
        return await response.ReadAsync<DroneAssignment>(HttpStatusCode.Created);
    }

    private static async Task<IEnumerable<string>> KeptAsync(HttpClient http, params string[] ids)
    {
        var kept = new List<string>();
        foreach (var id in ids)
        {
            using var response = await http.SendAsync(HttpMethod.Get, $"/api/dronedeliveries/{id}");
            if (response.StatusCode == HttpStatusCode.OK)
                kept.Add(id);
        }
        return kept;
    }

    /// <summary>The service may begin to wait later than the test moves the clock.</summary>
    private Task EventuallyGoneAsync(HttpClient http, string id) => Eventually.TrueAsync(async () =>
    {
        _time.Advance(TimeSpan.FromMinutes(1));
        return !(await KeptAsync(http, id)).Any();
    });

    [GeneratedRegex(@"@\w+")]
    private static partial Regex Parameter();

    /// <summary>A clock that takes note of the timers that are set on it.</summary>
    private sealed class TimersOf(TimeProvider time) : TimeProvider
    {
        public ConcurrentQueue<TimeSpan> Periods { get; } = new();

        public override DateTimeOffset GetUtcNow() => time.GetUtcNow();

        public override long GetTimestamp() => time.GetTimestamp();

        public override long TimestampFrequency => time.TimestampFrequency;

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            Periods.Enqueue(period);
            return time.CreateTimer(callback, state, dueTime, period);
        }
    }
}
